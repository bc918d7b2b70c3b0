import { isRefusal, type Refusal } from "#base";
import { type Item, isOver } from "../../../actors/pools/queue/rows/item.ts";
import { isPaused } from "../../../actors/pools/queue/state.ts";
import type { LeasedItem } from "../queue.ts";
import { liveItems } from "../queue-check.ts";
import { claimProblems, handoutProblems } from "./claims.ts";
import { LineOrder } from "./line-order.ts";
import { type Admitted, type ItemRequest, Model, type Step } from "./model.ts";
import { type Recipient, Recipients } from "./recipients.ts";
import { firstSettings, nextSettings, type Settings, type Slots, slotsOf } from "./settings.ts";

/** A claim that waits for its answer. */
export interface Poll {
  readonly recipient: Recipient;
}

/**
 * Everything about a pool changes while items of different cost wait, alone and in batches: settings, recipients,
 * restarts in between. Claims wait for their answers. Promises made to an item at its enqueue are checked by the
 * present settings.
 */
export class Changing extends Model {
  readonly recipients = new Recipients(this.bench);
  readonly polls = new Set<Poll>();
  readonly slots = new Map<string, Slots>();
  readonly #line = new LineOrder(this.bench);
  /** When an item may expire: not before the last of the requests that it stands for. */
  readonly #deadlines = new Map<string, number>();
  #arrived: { readonly items: readonly LeasedItem[]; readonly recipient: Recipient }[] = [];
  enabled = true;
  settings = firstSettings(this.control);

  override play(step: Step): void {
    const [what, pick, amount] = step;
    if (what < 100) super.play(step);
    else if (what < 115) this.recipients.change(pick, amount);
    else if (what < 130) this.configure(nextSettings(pick));
    else if (what < 148) this.poll(pick, amount);
    else if (what < 162) this.enqueueBatch(pick, amount);
    else if (what < 172) this.settleBatch(pick, amount);
    else if (what < 176) this.restartAnd(() => this.configure(nextSettings(pick)));
    else if (what < 178) this.restartAnd(() => this.recipients.change(pick, amount));
    else if (what < 182) this.retryLate(pick, amount);
    else if (what < 186) this.enable(!this.enabled || amount > 10);
    else if (what < 193) this.claim(pick, amount);
    else this.bench.driver.advance(amount * amount * 20);
  }

  override look(): void {
    this.bench.driver.advance(0);
    this.receive();
    super.look();
    this.#line.check(this.settings.fairness !== undefined);
    const items = liveItems(this.bench);
    for (const { id, state, finishedAt } of items)
      if (state === "expired" && finishedAt < this.#deadlines.get(id)!)
        throw new Error(`${id} went away before the last enqueue that it was the answer to`);
    const problems = claimProblems(this, items);
    if (problems.length > 0) throw new Error(problems.join("; "));
  }

  configure(part: Partial<Settings>): void {
    this.settings = { ...this.settings, ...part };
    const update_mask = Object.keys(part).map((name) => `config.${name}`);
    const answer = this.bench.pool("PoolService.UpdatePool", { config: part, update_mask });
    if (isRefusal(answer)) throw new Error(`update: ${JSON.stringify(answer)}`);
  }

  enable(enabled: boolean): void {
    this.enabled = enabled;
    this.bench.pool("PoolService.SetPoolEnabled", { enabled });
  }

  /** Changes before a queue has read anything are written by an entity that knows only its own rows. */
  restartAnd(change: () => void): void {
    this.restart();
    change();
    this.restart();
  }

  override restart(): void {
    this.polls.clear();
    super.restart();
  }

  override request(pick: number, amount: number): ItemRequest {
    return { ...super.request(pick, amount), cost: [1, 1, 2, 3, 100][(pick >> 3) % 5]! };
  }

  enqueueBatch(pick: number, amount: number): void {
    const picks = [pick, pick * 3 + amount, pick + 5, pick].slice(0, 1 + (amount % 4));
    const items = picks.map((one) => this.request(one, amount));
    const { results } = this.bench.ask("QueueService.EnqueueBatch", { items }) as unknown as {
      results: readonly Admitted[];
    };
    for (const [index, result] of results.entries()) this.admitted(items[index]!, result);
  }

  override admitted(request: ItemRequest, answer: Admitted): void {
    super.admitted(request, answer);
    const { id } = answer.item;
    const { outcome } = answer.admission;
    const until = request.expires_at === undefined ? Infinity : Date.parse(request.expires_at);
    if (!["enqueued", "replaced", "debounced"].includes(outcome)) return;
    const { key, attributes, cost = 1 } = request;
    this.slots.set(id, slotsOf(this.settings.admission.concurrency, { key, c: attributes.c, cost }));
    const earlier = outcome === "debounced" ? this.#deadlines.get(id)! : 0;
    this.#deadlines.set(id, Math.max(until, earlier));
    if (outcome === "debounced") return;
    if (this.settings.fairness === undefined) this.#line.came(id);
  }

  override claim(pick: number, amount: number): void {
    const recipient = this.recipients.at(pick);
    const request = { recipient_id: recipient.id, max_items: 1 + (amount % 4) };
    this.answered(recipient, this.bench.ask("QueueService.Claim", request));
    this.receive();
  }

  poll(pick: number, amount: number): void {
    const poll = { recipient: this.recipients.at(pick) };
    const request = {
      recipient_id: poll.recipient.id,
      max_items: 1 + (amount % 3),
      wait_seconds: 1 + amount,
    };
    const answered = (answer: unknown) => {
      this.polls.delete(poll);
      this.answered(poll.recipient, answer as Record<string, unknown>);
    };
    // Added first: a claim that can be answered at once is answered inside `ask`.
    this.polls.add(poll);
    const answer: unknown = this.bench.ask("QueueService.Claim", request, answered);
    if (answer !== "parked") answered(answer);
  }

  /** Refused exactly if the recipient or the pool is disabled or gone. */
  answered(recipient: Recipient, answer: Record<string, unknown> | Refusal): void {
    if (isRefusal(answer) !== !this.mayClaim(recipient))
      throw new Error(`${JSON.stringify(recipient)} was answered ${JSON.stringify(answer)}`);
    if (isRefusal(answer)) return;
    const items = answer.items as LeasedItem[];
    if (items.length > 0 && isPaused(this.bench.state, this.bench.driver.now))
      throw new Error("a paused queue handed something out");
    this.#arrived.push({ items, recipient });
  }

  mayClaim(recipient: Recipient): boolean {
    const isThere = recipient.status === "active" && this.recipients.all.includes(recipient);
    return this.enabled && isThere && !this.isEjected(recipient.id);
  }

  /** Claims are answered in the middle of other commands: the leases are checked afterwards. */
  receive(): void {
    const arrived = this.#arrived;
    this.#arrived = [];
    const rows = new Map(liveItems(this.bench).map((item) => [item.id, item]));
    for (const { items, recipient } of arrived) {
      const valid = items.filter(({ item, lease_token }) => rows.get(item.id)?.lease?.token === lease_token);
      this.take(valid, recipient.id);
      const problems = handoutProblems(this, recipient, valid, [...rows.values()]);
      if (problems.length > 0) throw new Error(problems.join("; "));
    }
  }

  /** Several leases at once, including one that is extended and settled, or settled twice. */
  settleBatch(pick: number, amount: number): void {
    const held = [...this.held.values()].slice(0, 1 + (amount % 3));
    const outcomes = ["extend", "complete", "release", "fail", "complete", "reject"];
    const settlements = held.flatMap(({ leased }, index) => {
      const named = { queue_item_id: leased.item.id, lease_token: leased.lease_token };
      const first = outcomes[(pick + index) % outcomes.length]!;
      const second = outcomes[(pick + index + 1) % outcomes.length]!;
      return (pick & 8 ? [first] : [first, second]).map((outcome) => ({ ...named, outcome }));
    });
    if (settlements.length === 0) return;
    const { results } = this.bench.ask("QueueService.SettleBatch", { settlements }) as {
      results: { state?: string; lease_expires_at?: string }[];
    };
    for (const [index, { state, lease_expires_at }] of results.entries()) {
      const id = settlements[index]!.queue_item_id;
      const lease = this.held.get(id);
      if (lease && lease_expires_at) lease.until = Date.parse(lease_expires_at);
      if (!lease || !state || lease_expires_at) continue;
      this.held.delete(id);
      this.old.push(lease.leased);
      if (state === "completed") this.completed.add(id);
    }
  }

  /** A retry while due timers have not run yet: it must not displace another item. */
  retryLate(pick: number, amount: number): void {
    const before = liveItems(this.bench);
    const dead = before.filter((item) => item.state === "dead");
    if (dead.length === 0) return;
    this.bench.driver.now += amount * 200;
    this.bench.ask("DeadLetterService.Retry", { queue_item_ids: [dead[pick % dead.length]!.id] });
    const superseded = (items: readonly Item[]) => items.filter(({ state }) => state === "superseded").length;
    if (superseded(liveItems(this.bench)) !== superseded(before))
      throw new Error("a retry superseded another item");
  }

  /** Everything else may be explained by the settings of a moment ago. */
  override checkControls(): void {}

  override clearGroup(pick: number): void {
    const group = this.clearOne(pick);
    if (!group) return;
    const { status } = this.bench.ask("AdmissionService.GetAdmissionGroup", group);
    if (status === "expired") throw new Error(`${group.constraint_kind} was cleared, and says ${status}`);
  }

  /** An item that costs more than any recipient can take stays, and only that one; then there is room for all. */
  override finish(): void {
    this.enable(true);
    for (const recipient of this.recipients.all) this.recipients.activate(recipient);
    this.bench.ask("QueueControlService.ResumeQueue");
    const left = () =>
      liveItems(this.bench).filter((item) => !isOver(item.state) && this.#fitsSomebody(item));
    for (let round = 0; round < 400 && left().length > 0; round++) {
      this.bench.driver.advance(10_000);
      this.look();
      for (let pick = 0; pick < this.recipients.all.length; pick++) this.claim(pick, 3);
      this.#completeAll();
    }
    if (left().length > 0) throw new Error(`stuck behind others: ${JSON.stringify(left())}`);
    for (const recipient of this.recipients.all) this.recipients.resize(recipient, 0);
    if (!this.recipients.all.slice(0, 2).some(({ labels }) => labels.x)) this.recipients.addFirst();
    super.finish();
  }

  #completeAll(): void {
    for (const { leased } of [...this.held.values()]) {
      const answer = this.bench.settle("complete", leased);
      if (!isRefusal(answer)) this.completed.add(leased.item.id);
      this.held.delete(leased.item.id);
    }
    this.receive();
  }

  #fitsSomebody({ cost, classNo }: Item): boolean {
    return this.recipients.all.some(
      ({ capacity, labels }) => (capacity === 0 || cost <= capacity) && (classNo === 0 || labels.x),
    );
  }
}
