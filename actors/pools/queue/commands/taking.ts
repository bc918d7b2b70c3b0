import { limits } from "#base";
import type { RouterRecipient } from "../../router.ts";
import { fullGroup } from "../admission/concurrency.ts";
import { holdBack, letPass, releaseThrottled } from "../admission/line.ts";
import { takeToken, throttledUntil } from "../admission/throttle.ts";
import { byLine } from "../memory/ready-index.ts";
import { SortedWindow } from "../memory/sorted-window.ts";
import { bodyOf, bodyRef } from "../rows/body.ts";
import { nameOfGroup } from "../rows/group.ts";
import { type Body, classList, type Item, leasedItem } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import type { Claim } from "./claimer.ts";

export interface Taken {
  readonly leased: readonly Item[];
}

export interface Budget {
  readonly cost: number;
  readonly items: number;
}

interface Cursor {
  readonly list: string;
  readonly band: number;
  readonly window: SortedWindow<Item>;
  /** This very claim let its items go. */
  readonly freed: boolean;
  index: number;
}

/** One claim on its way along the lines: who is next, whether it may be handed out, and its lease. */
export class Taking {
  readonly #unit: UnitOfWork;
  readonly #recipient: RouterRecipient;
  readonly #command: Claim;
  readonly #agingMs: number;
  readonly #bands: Cursor[][] = [];
  readonly #leased: Item[] = [];
  #cost: number;
  #bytes = 0;
  readonly #most: number;
  readonly #lists: string[] = [];
  /** Throttle keys whose held items had their chance in this claim. */
  readonly #followed = new Set<string>();
  /** Groups of those that were passed over. */
  readonly #passed = new Set<string>();
  /** Who is next cannot be told before more of a line is read. */
  #blind = false;

  constructor(unit: UnitOfWork, recipient: RouterRecipient, command: Claim, budget: Budget) {
    this.#unit = unit;
    this.#recipient = recipient;
    this.#command = command;
    this.#agingMs = unit.router.config.priority.aging_seconds * 1_000;
    this.#cost = budget.cost;
    this.#most = Math.min(command.maxItems, budget.items, limits.queueLeasesMax - unit.state.leases.size);
  }

  run(): Taken {
    this.#open();
    let looked = 0;
    // Payloads and groups that have to be read do not end it: one round asks for those of all items.
    while (this.#leased.length < this.#most && this.#bytes < limits.claimBytesMax && !this.#blind) {
      const cursor = this.#next();
      if (!cursor || this.#blind) break;
      if (looked++ >= limits.queueLooksMax + this.#most) break;
      const item = cursor.window.at(cursor.index++)!;
      if (cursor.freed || !this.#unit.touched(item.id)) this.#consider(item);
    }
    if (this.#blind) this.#readOn();
    this.#loadBodies();
    return { leased: this.#leased };
  }

  /** Where one line has to be read, the others of which little is in memory are too: not each in a round of its own. */
  #readOn(): void {
    const { state, context } = this.#unit;
    for (const { list, band, window, index } of this.#bands.flat())
      if (!window.complete) state.ready.load(list, band, index + limits.queueWindowRefill / 2, context);
  }

  /** One read brings the payloads of this claim and of the next few. They stay in memory until the items are settled. */
  #loadBodies(): void {
    const { state, context } = this.#unit;
    for (const item of state.bodies.takeExpected()) {
      const row = context.row(bodyRef(item));
      const body = row ? bodyOf(item, row) : undefined;
      if (body) state.bodies.set(item.id, body, item.bytes);
    }
    const read: [item: Item, body: Body][] = [];
    let unread = false;
    for (const item of this.#leased) {
      const hot = state.bodies.get(item.id);
      const body = hot ?? this.#unit.body(item);
      unread ||= body === undefined;
      if (!body) continue;
      this.#unit.show(item.id, body);
      if (!hot) read.push([item, body]);
    }
    for (const [item, body] of read) state.bodies.set(item.id, body, item.bytes);
    if (!unread) return;
    const ahead: Item[] = [];
    for (const cursor of this.#bands.flat())
      for (let i = 0; i < limits.queueBodiesAhead && ahead.length < limits.queueBodiesAhead; i++) {
        const item = cursor.window.at(cursor.index + i);
        if (item && !state.bodies.get(item.id)) ahead.push(item);
      }
    context.prefetch(ahead.map(bodyRef));
    state.bodies.expect(ahead);
  }

  #consider(item: Item): void {
    const unit = this.#unit;
    const { now } = unit;
    // Its timer is due and will end it.
    if (item.expiresAt > 0 && item.expiresAt <= now) return;
    const until = throttledUntil(unit, item);
    if (until === undefined) return;
    const groupName = until > 0 ? nameOfGroup("throttle", item.groups.throttle) : fullGroup(unit, item);
    if (groupName) holdBack(unit, item, groupName);
    else if (item.cost <= this.#cost && !unit.excludes(item.classNo, this.#recipient)) this.#lease(item);
    else this.#passOver(item);
  }

  /** One that does not fit. Once a claim for the same groups: that brings a new item for the next claim to look at. */
  #passOver(item: Item): void {
    if (!this.#unit.groups.holdsSomebody) return;
    const { throttle, concurrency } = item.groups;
    const groups = [throttle, ...concurrency.map(({ id }) => id)].join();
    if (this.#passed.has(groups)) return;
    this.#passed.add(groups);
    letPass(this.#unit, item);
  }

  #lease(item: Item): void {
    const unit = this.#unit;
    const seconds = this.#command.leaseSeconds || unit.router.config.lease_seconds;
    const leased = leasedItem(item, {
      recipient: this.#recipient.id,
      token: unit.context.secret(limits.leaseTokenBytes),
      leasedAt: unit.now,
      expiresAt: unit.now + seconds * 1_000,
      tat: takeToken(unit, item),
      progress: null,
    });
    unit.change(item, leased, "leased");
    unit.advance(item.band, item.tag);
    this.#cost -= item.cost;
    this.#bytes += item.bytes;
    this.#leased.push(leased);
    if (item.groups.throttle && unit.groups.holdsSomebody) this.#follow(item);
  }

  /**
   * Tokens may have come while there were no claims: the items that they let go are part of this claim, and one stands in line for
   * the next. Once for each throttle key.
   */
  #follow(item: Item): void {
    const { throttle } = item.groups;
    if (this.#followed.has(throttle)) return;
    this.#followed.add(throttle);
    const most = this.#most - this.#leased.length + 1;
    const byBand = new Map<number, SortedWindow<Item>>();
    for (const freed of releaseThrottled(this.#unit, item, most)) {
      if (!this.#lists.includes(freed.list)) continue;
      const window = byBand.get(freed.band) ?? new SortedWindow<Item>(byLine, limits.queueStepMax, true);
      window.insert(freed);
      byBand.set(freed.band, window);
    }
    for (const [band, window] of byBand) this.#join(band, window);
  }

  /** A window of its own: the places in others stay what they are. */
  #join(band: number, window: SortedWindow<Item>): void {
    const { list } = window.at(0)!;
    const cursor = { list, band, window, freed: true, index: 0 };
    const cursors = this.#bands.find(([first]) => first!.band === band);
    if (cursors) cursors.push(cursor);
    else this.#bands.push([cursor]);
  }

  /** The lines this recipient may take from: its own, and those of the classes it fits. */
  #open(): void {
    const { state, context } = this.#unit;
    const lists = this.#lists;
    for (const { no } of state.classes)
      if (!this.#unit.excludes(no, this.#recipient)) lists.push(classList(no));
    if (this.#unit.router.config.sticky || state.kept > 0) lists.push(this.#recipient.id);
    for (let band = 1; band <= limits.queueBands; band++) {
      const cursors: Cursor[] = [];
      for (const list of lists) {
        if (!state.ready.load(list, band, this.#most, context)) this.#blind = true;
        const stored = state.ready.window(list, band);
        if (stored.length > 0 || !stored.complete)
          cursors.push({ list, band, window: stored, freed: false, index: 0 });
        const recent = state.recent.window(list, band);
        if (recent && recent.length > 0) cursors.push({ list, band, window: recent, freed: false, index: 0 });
      }
      if (cursors.length > 0) this.#bands.push(cursors);
    }
  }

  /** Who is next: the best head of each band by virtual start; between bands the one that has risen highest. */
  #next(): Cursor | undefined {
    let best: Cursor | undefined;
    let bestHead: Item | undefined;
    let bestBand = Number.MAX_SAFE_INTEGER;
    for (const cursors of this.#bands) {
      const cursor = this.#headOf(cursors);
      if (!cursor) continue;
      const head = cursor.window.at(cursor.index)!;
      const band = this.#risen(head);
      if (band < bestBand || (band === bestBand && head.readyAt < bestHead!.readyAt)) {
        best = cursor;
        bestHead = head;
        bestBand = band;
      }
    }
    return best;
  }

  #headOf(cursors: readonly Cursor[]): Cursor | undefined {
    const { state, context } = this.#unit;
    let best: Cursor | undefined;
    let head: Item | undefined;
    for (const cursor of cursors) {
      if (cursor.index >= cursor.window.length && !cursor.window.complete) {
        const least = cursor.index + this.#most;
        if (!state.ready.load(cursor.list, cursor.band, least, context)) this.#blind = true;
      }
      const item = cursor.window.at(cursor.index);
      if (!item) continue;
      if (!head || item.tag < head.tag || (item.tag === head.tag && item.order < head.order)) {
        best = cursor;
        head = item;
      }
    }
    return best;
  }

  #risen(item: Item): number {
    if (this.#agingMs === 0) return item.band;
    return Math.max(1, item.band - Math.floor((this.#unit.now - item.readyAt) / this.#agingMs));
  }
}
