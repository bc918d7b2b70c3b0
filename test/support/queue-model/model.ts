import { isRefusal } from "#base";
import { type Item, isOver } from "../../../actors/pools/queue/rows/item.ts";
import type { LeasedItem } from "../queue.ts";
import { liveItems, queueProblems, slotsInUse } from "../queue-check.ts";
import { customers, type Held, ModelFacts, throttle } from "./facts.ts";

export interface ItemRequest extends Record<string, unknown> {
  readonly key: string;
  readonly attributes: { readonly c: string };
  readonly cost?: number;
  readonly expires_at?: string;
}

/** What an enqueue is answered with. */
export interface Admitted {
  readonly item: { readonly id: string };
  readonly admission: { readonly outcome: string };
}

interface Group extends Record<string, unknown> {
  readonly constraint_kind: string;
  readonly group_id: string;
}

export type Step = readonly [what: number, pick: number, amount: number];

/**
 * Random commands, faults and time against a model that knows only the answers: which leases are held until when, what
 * was completed, what was acknowledged. After every step the rows are checked against each other, and in the end
 * against what `apply` makes of the events, starting empty.
 */
export class Model extends ModelFacts {
  readonly old: LeasedItem[] = [];
  readonly completed = new Set<string>();
  readonly purged = new Set<string>();

  run(step: Step): void {
    this.play(step);
    this.look();
  }

  /** Runs what is due before the state is checked. */
  look(): void {
    this.bench.driver.advance(0);
    this.forgetExpired();
    this.check();
  }

  play([what, pick, amount]: Step): void {
    if (what < 30) this.enqueue(pick, amount);
    else if (what < 48) this.claim(pick, amount);
    else if (what < 50) this.clearGroup(pick);
    else if (what < 68) this.settle(pick, amount);
    else if (what < 72) this.settleOld(pick);
    else if (what < 85) this.bench.driver.advance(amount * amount * 20);
    else if (what < 88) this.cancel(pick);
    else if (what < 91) this.restart();
    else if (what < 93) this.togglePause(amount);
    else if (what < 95) this.retryDead(pick);
    else if (what < 96) this.bench.ask("DeadLetterService.RetryAll", { rate: 1 + amount });
    else if (what < 97) this.drain(amount % 3);
    else if (what < 98) this.purge();
    else this.quarantine(pick);
  }

  enqueue(pick: number, amount: number): void {
    const request = this.request(pick, amount);
    const answer = this.bench.tryEnqueue(request);
    if (isRefusal(answer)) throw new Error(`enqueue: ${JSON.stringify(answer)}`);
    this.admitted(request, answer as unknown as Admitted);
  }

  request(pick: number, amount: number): ItemRequest {
    const { now } = this.bench.driver;
    return {
      key: `k${pick % 5}`,
      attributes: { c: customers[pick % 3]! },
      priority: 1 + (pick % 5),
      payload: pick,
      ...(pick % 7 === 0 && { dedup_id: `d${pick % 4}` }),
      ...(pick % 11 === 0 && { not_before: new Date(now + amount * 500).toISOString() }),
      ...(pick % 13 === 0 && { expires_at: new Date(now + 1 + amount * 1_000).toISOString() }),
    };
  }

  admitted({ attributes }: ItemRequest, { item, admission }: Admitted): void {
    // The last of several debounced requests decides the item's customer.
    if (["enqueued", "replaced", "debounced"].includes(admission.outcome))
      this.known.set(item.id, attributes.c);
  }

  claim(pick: number, amount: number): void {
    const { bench } = this;
    const recipientId = bench.recipientIds[pick % 2]!;
    const request = { recipient_id: recipientId, max_items: 1 + (amount % 4) };
    const answer = bench.ask("QueueService.Claim", request);
    if (isRefusal(answer) !== this.isEjected(recipientId))
      throw new Error(`claim: ${JSON.stringify(answer)}`);
    const items = isRefusal(answer) ? [] : (answer.items as LeasedItem[]);
    if (this.paused && items.length > 0) throw new Error("a paused queue handed something out");
    this.take(items, recipientId);
  }

  take(items: readonly LeasedItem[], recipientId: string): void {
    const { now } = this.bench.driver;
    for (const leased of items) {
      const customer = this.known.get(leased.item.id);
      if (customer === undefined) throw new Error("an unknown item was handed out");
      if (this.completed.has(leased.item.id)) throw new Error("a completed item was handed out");
      const other = this.held.get(leased.item.id);
      if (other && this.isValid(other)) throw new Error("two valid leases of one item");
      const until = Date.parse(leased.lease_expires_at);
      this.held.set(leased.item.id, { leased, customer, recipientId, at: now, until });
      const interval = throttle.period_ms / (throttle.limit - throttle.burst + 1);
      this.tats.set(customer, Math.max(this.tats.get(customer) ?? 0, now) + interval);
      this.handedOut.set(customer, [...(this.handedOut.get(customer) ?? []), now]);
    }
  }

  /** The item's own row has the lease; the model only follows the answers. */
  isValid(held: Held): boolean {
    const lease = this.bench.get(held.leased.item.id).lease as { expires_at: string } | undefined;
    return (
      held.until > this.bench.driver.now && lease !== undefined && this.held.get(held.leased.item.id) === held
    );
  }

  settle(pick: number, amount: number): void {
    const held = [...this.held.values()][pick % Math.max(1, this.held.size)];
    if (!held) return;
    const outcome = ["complete", "complete", "fail", "release", "reject", "extend"][amount % 6]!;
    const { leased } = held;
    const answer = this.bench.settle(outcome, leased, outcome === "fail" ? { error: "e" } : {});
    if (isRefusal(answer)) {
      // Its lease may have been ended by a cancel or a newer singleton, and by nothing else.
      if ((answer as { reason?: string }).reason !== "cancelled") throw new Error(JSON.stringify(answer));
      this.held.delete(leased.item.id);
      return;
    }
    if (outcome === "extend") {
      held.until = Date.parse(answer.lease_expires_at as string);
      return;
    }
    this.held.delete(leased.item.id);
    this.old.push(leased);
    if (outcome === "complete") {
      if (this.completed.has(leased.item.id)) throw new Error("completed twice");
      this.completed.add(leased.item.id);
      const again = this.bench.settle("complete", leased);
      if (JSON.stringify(again) !== JSON.stringify(answer)) throw new Error("a repeat has another answer");
    }
  }

  /** An old token never changes anything: it is refused, or answered as before. */
  settleOld(pick: number): void {
    const leased = this.old[pick % Math.max(1, this.old.length)];
    if (!leased) return;
    const before = JSON.stringify(this.bench.get(leased.item.id));
    this.bench.settle(["complete", "fail", "release"][pick % 3]!, leased);
    if (JSON.stringify(this.bench.get(leased.item.id)) !== before)
      throw new Error("an old token changed the item");
  }

  restart(): void {
    this.bench.driver.restart();
  }

  cancel(pick: number): void {
    const id = [...this.known.keys()][pick % Math.max(1, this.known.size)];
    if (id === undefined) return;
    const answer = this.bench.ask("QueueService.Cancel", { queue_item_id: id });
    if (!isRefusal(answer)) this.held.delete(id);
  }

  togglePause(amount: number): void {
    const until = new Date(this.bench.driver.now + amount * 1_000 + 1).toISOString();
    this.bench.ask(
      `QueueControlService.${this.paused ? "Resume" : "Pause"}Queue`,
      amount % 2 ? { until } : {},
    );
    this.paused = this.bench.status().paused as boolean;
  }

  retryDead(pick: number): void {
    const dead = liveItems(this.bench).filter((item) => item.state === "dead");
    const item = dead[pick % Math.max(1, dead.length)];
    if (item) this.bench.ask("DeadLetterService.Retry", { queue_item_ids: [item.id] });
  }

  quarantine(pick: number): void {
    const dead = liveItems(this.bench).filter((item) => item.state === "dead");
    const item = dead[pick % Math.max(1, dead.length)];
    const method = item?.quarantined ? "Release" : "Quarantine";
    if (item) this.bench.ask(`DeadLetterService.${method}`, { queue_item_ids: [item.id] });
  }

  drain(count: number): void {
    if (count > 0) this.bench.ask("queue.DrainStep", { max_items: count });
  }

  purge(): void {
    for (const item of liveItems(this.bench))
      if (item.state === "dead" && !item.quarantined) this.purged.add(item.id);
    this.bench.ask("queue.PurgeStep", { before: 0 });
  }

  clearGroup(pick: number): void {
    const group = this.clearOne(pick);
    if (group?.constraint_kind !== "throttle") return;
    const item = liveItems(this.bench).find(({ groups }) => groups.throttle === group.group_id);
    // All items of a key may be purged before its group is deleted.
    const customer = item ? this.known.get(item.id)! : "";
    this.tats.delete(customer);
    this.handedOut.delete(customer);
  }

  /** Clears any group that is not a concurrency group; `undefined` if there is none. */
  protected clearOne(pick: number): Group | undefined {
    const listed = this.bench.ask("AdmissionService.ListAdmissionGroups").admission_groups as Group[];
    const groups = listed.filter(({ constraint_kind }) => constraint_kind !== "concurrency");
    const group = groups[pick % Math.max(1, groups.length)];
    if (group) this.bench.ask("AdmissionService.ClearAdmissionGroup", { ...group, reason: "model" });
    return group;
  }

  forgetExpired(): void {
    const { now } = this.bench.driver;
    for (const [id, held] of this.held) {
      const leased = this.bench.get(id).lease !== undefined;
      if (held.until > now && leased) continue;
      this.held.delete(id);
      this.old.push(held.leased);
    }
    this.paused = this.bench.status().paused as boolean;
  }

  check(): void {
    const problems = queueProblems(this.bench);
    if (problems.length > 0) throw new Error(problems.join("; "));
    const items = liveItems(this.bench);
    const found = new Set(items.map(({ id }) => id));
    for (const id of this.known.keys())
      if (!found.has(id) && !this.purged.has(id)) throw new Error(`${id} is lost`);
    for (const item of items) {
      if (this.completed.has(item.id) !== (item.state === "completed"))
        throw new Error("completion is not final");
      if ((item.lease !== null) !== this.held.has(item.id))
        throw new Error("the model and the leases differ");
    }
    this.checkControls(items);
  }

  checkControls(items: readonly Item[]): void {
    this.checkLimits();
    for (const item of items) if (!isOver(item.state) && !item.lease) this.checkWait(item, items);
  }

  /** With everything open and enough time, nothing is left waiting: no slot leaked, no item stuck. */
  finish(): void {
    this.bench.ask("QueueControlService.ResumeQueue");
    for (let round = 0; round < 400; round++) {
      this.bench.driver.advance(10_000);
      this.forgetExpired();
      const before = this.held.size;
      for (const pick of [0, 1]) this.claim(pick, 3);
      for (const { leased } of [...this.held.values()]) {
        const answer = this.bench.settle("complete", leased);
        if (!isRefusal(answer)) this.completed.add(leased.item.id);
        this.held.delete(leased.item.id);
      }
      // A completion may have given the next item to a claim that waits.
      const { depth, leased } = this.bench.status() as unknown as { depth: number; leased: number };
      if (before === 0 && depth + leased === 0) break;
    }
    const left = liveItems(this.bench).filter((item) => !isOver(item.state));
    if (left.length > 0) throw new Error(`stuck: ${JSON.stringify(left)}`);
    if (slotsInUse(this.bench.state).size > 0) throw new Error("a slot leaked");
    const problems = queueProblems(this.bench);
    problems.push(...this.bench.driver.unlikeReplay(this.bench.at("queue")));
    if (problems.length > 0) throw new Error(problems.join("; "));
  }
}
