import { limits } from "#base";
import type { Context } from "#runtime";
import { exclusionOf, noRequirements, preferred, type Requirements } from "../../eligibility.ts";
import type { RouterRecipient, RouterView } from "../../router.ts";
import { choose, seedOf } from "../../strategy.ts";
import type { Command } from "../decide.ts";
import { heardOf } from "../memory/lost-leases.ts";
import { classList, type Item } from "../rows/item.ts";
import { isPaused, type State } from "../state.ts";
import { isListener } from "./claim.ts";
import type { Claim } from "./claimer.ts";
import { claimerRefusal } from "./claimer.ts";

/**
 * Parked claims to run again: as many as there are items they could get. If one recipient waits it gets the item at once;
 * if several do, only those it may go to count, its preferences narrow them, and the pool's strategy says who goes first.
 */
export function wake(state: State, parked: readonly Command[], context: Context): readonly number[] {
  const router = context.twin<RouterView>("router");
  const moved = state.watched.take();
  const answered: number[] = [];
  for (const [index, command] of parked.entries())
    if (
      command.type === "claim"
        ? isRefused(router, command) || hasHeard(state, command)
        : isNews(command, router, moved)
    )
      answered.push(index);
  const ready = state.counts.ready - state.held;
  if (ready <= 0 || isPaused(state, context.now)) return answered;
  const waiting = new Waiting(router, parked, new Set(answered));
  // Items that ask for something go first: others find a recipient more easily.
  for (const { no, requirements } of state.classes)
    if (no !== 0) waiting.serve(lineOf(state, classList(no), ready), requirements, context.now);
  for (const recipient of router.config.sticky || state.kept > 0 ? waiting.recipients() : [])
    waiting.serve(
      lineOf(state, recipient.id, ready),
      { restrictions: [{ recipientIds: [recipient.id] }], preferences: [] },
      context.now,
    );
  waiting.serve(lineOf(state, classList(0), ready), noRequirements, context.now);
  return answered.length === 0 ? waiting.woken : [...answered, ...waiting.woken];
}

/** Who waits for an item hears when it was handed out or has ended, or its pool is gone. */
function isNews(command: Command, router: RouterView, moved: ReadonlySet<string> | undefined): boolean {
  return command.type === "watch" && (router.status === "absent" || moved?.has(command.id) === true);
}

function hasHeard(state: State, command: Claim): boolean {
  return isListener(command) && heardOf(state, command);
}

/** Its recipient or its pool was set aside, or is gone: the claim that waits is refused at once. */
function isRefused(router: RouterView, command: Claim): boolean {
  if (command.maxItems === 0 && command.holds) return false;
  if (command.table === router.version && command.ready === router.ready) return false;
  command.table = router.version;
  command.ready = router.ready;
  return router.status !== "active" || claimerRefusal(router, command) !== undefined;
}

interface Line {
  /** Items in it, as far as memory knows; never fewer than there are. */
  readonly items: number;
  readonly head: Item | undefined;
  /** The smallest cost among the heads of its bands: who has room for it gets something. */
  readonly cost: number;
  /** Memory has nothing of one of its bands, and rows may: what they cost is a guess, and a claim may find no room for it. */
  readonly unread: boolean;
  /** The smallest cost of all that a claim would look at: it passes a head that costs too much. */
  smallestCost(): number;
}

function lineOf(state: State, list: string, ready: number): Line {
  let items = 0;
  let head: Item | undefined;
  let cost = Number.MAX_SAFE_INTEGER;
  let unread = false;
  for (let band = 1; band <= limits.queueBands; band++) {
    const window = state.ready.window(list, band);
    const recent = state.recent.window(list, band);
    items += window.complete ? window.length + (recent?.length ?? 0) : ready;
    for (const first of [window.at(0), recent?.at(0)]) {
      if (first) cost = Math.min(cost, first.cost);
      head ??= first;
    }
    // Rows that are not in memory may cost as little as anything does.
    if (window.length === 0 && !window.complete) {
      cost = 1;
      unread = true;
    }
  }
  return { items: Math.min(items, ready), head, cost, unread, smallestCost: () => smallestCost(state, list) };
}

function smallestCost(state: State, list: string): number {
  // A claim that passes over what it has no room for lets another item step forward.
  if (state.held > 0) return 1;
  let cost = Number.MAX_SAFE_INTEGER;
  for (let band = 1; band <= limits.queueBands; band++)
    for (const window of [state.ready.window(list, band), state.recent.window(list, band)]) {
      if (!window) continue;
      const looks = Math.min(window.length, limits.queueLooksMax);
      for (let i = 0; i < looks && cost > 1; i++) cost = Math.min(cost, window.at(i)!.cost);
      if (looks < limits.queueLooksMax && !window.complete) return 1;
    }
  return cost;
}

/** The claims that wait, by recipient, first come first. */
class Waiting {
  readonly woken: number[] = [];
  readonly #router: RouterView;
  readonly #parked: readonly Command[];
  readonly #indexes = new Map<RouterRecipient, number[]>();

  constructor(router: RouterView, parked: readonly Command[], awake: ReadonlySet<number>) {
    this.#router = router;
    this.#parked = parked;
    for (let i = 0; i < parked.length; i++) {
      const command = parked[i]!;
      if (command.type !== "claim" || command.maxItems === 0 || awake.has(i)) continue;
      const recipient = router.recipients.get(command.recipientId);
      if (!recipient) continue;
      const indexes = this.#indexes.get(recipient);
      if (indexes) indexes.push(i);
      else this.#indexes.set(recipient, [i]);
    }
  }

  recipients(): RouterRecipient[] {
    return [...this.#indexes.keys()];
  }

  /**
   * Wakes claims until they have room for the whole line, or none is left that may take from it. Of a line that is unread
   * one claim of each recipient: the first reads it, and a claim that finds nothing goes on waiting without telling the others.
   */
  serve(line: Line, requirements: Requirements, now: number): void {
    if (line.items === 0 || this.#indexes.size === 0) return;
    let fitting = this.#fitting(requirements, line.cost, now);
    if (fitting.length === 0 && line.cost > 1)
      fitting = this.#fitting(requirements, line.smallestCost(), now);
    for (let room = 0; room < line.items && fitting.length > 0; ) {
      const recipient = this.#choose(fitting, line, requirements);
      const indexes = this.#indexes.get(recipient)!;
      const index = indexes.shift()!;
      if (indexes.length === 0) this.#indexes.delete(recipient);
      if (indexes.length === 0 || line.unread) fitting = fitting.filter((other) => other !== recipient);
      this.woken.push(index);
      if (!line.unread) room += (this.#parked[index] as Claim).maxItems;
    }
  }

  #fitting(requirements: Requirements, cost: number, now: number): RouterRecipient[] {
    return this.recipients().filter((recipient) => this.#fits(recipient, requirements, cost, now));
  }

  /** As a claim would find it. */
  #fits(recipient: RouterRecipient, requirements: Requirements, cost: number, now: number): boolean {
    return exclusionOf(this.#router, recipient, requirements, cost, now) === undefined;
  }

  #choose(fitting: readonly RouterRecipient[], { head, cost }: Line, requirements: Requirements) {
    const candidates = preferred(fitting, requirements.preferences);
    const seed = seedOf(head?.id ?? "", (head?.deliveries ?? 0) + this.woken.length, this.#router.version);
    const skills = Object.assign({}, ...requirements.restrictions.map((selector) => selector.skills ?? {}));
    return choose(this.#router, candidates, { seed, cost, skills, ...(head && { key: head.key }) })!;
  }
}
