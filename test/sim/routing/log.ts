import { unpackSummaries } from "../../../actors/kit/item-event.ts";
import {
  type ItemGroups,
  type ItemState,
  isOver,
  isWaiting,
  noGroups,
} from "../../../actors/pools/queue/rows/item.ts";
import type { PublishedEvent } from "../../../runtime/event-page.ts";
import type { QueueAudit } from "./actors.ts";
import { type Forgotten, forgottenProblems, repeatedProblems } from "./forgotten.ts";
import { leaseSeconds } from "./settings.ts";
import type { KnownPool, ToldLease } from "./told.ts";

interface Step {
  readonly cause: string;
  readonly seq: number;
  readonly atMs: number;
  readonly id: string;
  readonly state: ItemState;
  readonly attempts: number;
  readonly deliveries: number;
  readonly record_version: number;
  readonly recipient_id?: string;
  /** How often it was redriven before. */
  readonly retries: number;
}

export interface Life {
  state: ItemState;
  deliveries: number;
  version: number;
  completed: number;
  retries: number;
  readonly groups: ItemGroups;
  /** One of its groups was cleared: items that the group kept apart may be live at the same time now. */
  cleared: boolean;
  readonly steps: Step[];
}

/** What the journal says about the items of a queue, including deleted ones. */
interface QueueJournal {
  readonly groups: ReadonlyMap<string, ItemGroups>;
  readonly forgotten: ReadonlyMap<string, Forgotten>;
}

/** Replays the published events of one queue and checks every step against what a queue promises. */
export class QueueLog {
  readonly lives = new Map<string, Life>();
  readonly #pool: KnownPool;
  readonly #audit: QueueAudit;
  readonly #journal: QueueJournal;
  readonly #violate: (claim: string) => void;
  readonly #handedOut = new Map<string, number[]>();
  /** Throttles that were cleared, with the time. */
  readonly #handedOutBefore: [group: string, times: readonly number[]][] = [];
  readonly purged = new Set<string>();
  #cleared = 0;

  constructor(pool: KnownPool, audit: QueueAudit, journal: QueueJournal, violate: (claim: string) => void) {
    this.#pool = pool;
    this.#audit = audit;
    this.#journal = journal;
    this.#violate = (claim) => violate(`${pool.settings.name}: ${claim}`);
  }

  check(events: readonly PublishedEvent[]): void {
    let seq = 0;
    for (const event of events) {
      if (event.subject !== this.#pool.id) continue;
      if (event.kind === "admission_group.cleared") this.#clear((event.payload as { group: string }).group);
      // A redirected item begins in the pool that takes it.
      if (!event.kind.startsWith("queue_item.") || event.kind === "queue_item.redirected") continue;
      // Events of one commit happen together.
      if (event.seq !== seq) this.#checkSingletons();
      seq = event.seq;
      const cause = event.kind.slice("queue_item.".length);
      for (const item of unpackSummaries(event.payload) as unknown as Step[]) {
        if (!this.lives.has(item.id)) this.#begin(item.id, cause);
        if (cause === "purged") this.purged.add(item.id);
        const life = this.lives.get(item.id)!;
        if (cause === "redriven") life.retries++;
        this.#add({ ...item, cause, atMs: event.atMs, seq, retries: life.retries }, life);
      }
    }
    this.#checkSingletons();
    this.#checkEnds();
    for (const problem of forgottenProblems(this.#pool, this.lives, this.#journal.forgotten))
      this.#violate(problem);
    for (const problem of repeatedProblems(this.#pool, this.lives, (id) => this.#goneSeq(id)))
      this.#violate(problem);
    this.#checkCounts();
    for (const lease of this.#pool.leases) this.#checkLease(lease);
    this.#checkThrottle();
  }

  #begin(id: string, cause: string): void {
    if (cause !== "enqueued") this.#violate(`${id} begins with ${cause}`);
    const groups = this.#journal.groups.get(id);
    if (groups === undefined) this.#violate(`${id} has events and never had a row`);
    this.lives.set(id, {
      state: "scheduled",
      deliveries: 0,
      version: 0,
      completed: 0,
      retries: 0,
      groups: groups ?? noGroups,
      cleared: false,
      steps: [],
    });
  }

  #add(step: Step, life: Life): void {
    const { id, cause, deliveries } = step;
    const together = life.steps.at(-1)?.seq === step.seq;
    if (step.record_version < life.version || (step.record_version === life.version && !together))
      this.#violate(`${id}: version ${step.record_version} came again`);
    if (!together && !allowed(cause, life)) this.#violate(`${id}: ${cause} while ${life.state}`);
    if (deliveries !== life.deliveries + (cause === "leased" ? 1 : 0) && cause !== "redriven")
      this.#violate(`${id}: delivery ${deliveries} by ${cause} after ${life.deliveries}`);
    if (cause === "completed" && ++life.completed > 1) this.#violate(`${id} was completed twice`);
    life.state = step.state;
    life.deliveries = deliveries;
    life.version = step.record_version;
    life.steps.push(step);
    if (cause === "leased") this.#checkAdmission(step, life);
  }

  #checkAdmission(step: Step, life: Life): void {
    const { limit, debounce } = this.#pool.settings;
    const slot = life.groups.concurrency[0]?.id;
    const used = this.#live(({ state, groups }) => state === "leased" && groups.concurrency[0]?.id === slot);
    if (limit > 0 && used.length > limit) this.#violate(`${used.length} leases of ${slot}, ${limit} allowed`);
    const times = this.#handedOut.get(life.groups.throttle) ?? [];
    times.push(step.atMs);
    this.#handedOut.set(life.groups.throttle, times);
    const wanted = this.#pool.items.get(step.id);
    // A retried dead letter is run regardless of its earlier times.
    if (wanted === undefined || life.retries > 0) return;
    if (wanted.notBefore > step.atMs)
      this.#violate(`${step.id} was handed out ${wanted.notBefore - step.atMs} ms early`);
    // An item that merged others lives as long as the last of them, whose caller may not know this item.
    const tookIn = life.steps.some(({ cause }) => cause === "coalesced");
    if (wanted.expiresAt > 0 && wanted.expiresAt <= step.atMs && !tookIn)
      this.#violate(`${step.id} was handed out after its time`);
    // An item whose debounce window was cleared while it had its own delay has no window any more.
    const cleared = life.cleared || (this.#cleared > 0 && life.groups.debounce === "");
    if (debounce === undefined || step.deliveries > 1 || cleared) return;
    const calls = life.steps.filter(({ cause }) => cause === "enqueued" || cause === "coalesced");
    const fireAt = Math.min(calls.at(-1)!.atMs + debounce.periodMs, calls[0]!.atMs + debounce.maxWaitMs);
    if (step.atMs < fireAt)
      this.#violate(`${step.id} was handed out ${fireAt - step.atMs} ms before its debounce`);
  }

  #live(which: (life: Life) => boolean): Life[] {
    return [...this.lives.values()].filter((life) => !isOver(life.state) && which(life));
  }

  #checkSingletons(): void {
    const { singleton } = this.#pool.settings;
    if (singleton === undefined) return;
    const byKey = new Map<string, { live: number; leased: number }>();
    for (const { groups, state } of this.#live(({ cleared }) => !cleared)) {
      const count = byKey.get(groups.singleton) ?? { live: 0, leased: 0 };
      count.live++;
      if (state === "leased") count.leased++;
      byKey.set(groups.singleton, count);
    }
    const most = singleton === "keep_latest" ? 2 : 1;
    for (const [key, { live, leased }] of byKey)
      if (live > most || leased > 1)
        this.#violate(`${live} live items, ${leased} of them leased, have the singleton key ${key}`);
  }

  /** The group starts over: earlier items do not count for it. */
  #clear(groupName: string): void {
    this.#cleared++;
    const [kind, id] = groupName.split(":") as ["singleton" | "debounce" | "throttle", string];
    if (kind !== "throttle") {
      for (const life of this.#live(({ groups }) => groups[kind] === id)) life.cleared = true;
      return;
    }
    this.#handedOutBefore.push([id, this.#handedOut.get(id) ?? []]);
    this.#handedOut.delete(id);
  }

  /** Counts that were returned for many items must equal the number of events. */
  #checkCounts(): void {
    const { drained, purged } = this.#pool;
    const happened = [...this.lives.values()].filter(({ steps }) => steps.at(-1)!.cause === "drained").length;
    if (drained > happened) this.#violate(`${drained} were told to be drained, ${happened} are`);
    if (purged > this.purged.size) this.#violate(`${purged} were told to be purged, ${this.purged.size} are`);
    if (this.#pool.cleared.size > this.#cleared)
      this.#violate(`${this.#pool.cleared.size} groups were told to be cleared, ${this.#cleared} were`);
  }

  /** The rows agree with the last event. */
  #checkEnds(): void {
    const stored = new Set(this.#audit.items.map(({ id }) => id));
    for (const id of this.lives.keys())
      if (stored.has(id) === this.isGone(id))
        this.#violate(`${id} was ${this.isGone(id) ? "removed and has" : "enqueued and has no"} row`);
    for (const item of this.#audit.items) {
      const life = this.lives.get(item.id);
      if (life === undefined) this.#violate(`${item.id} has no events`);
      else if (life.state !== item.state || life.deliveries !== item.deliveries)
        this.#violate(`${item.id} is ${item.state}, its events say ${life.state}`);
    }
  }

  isGone(id: string): boolean {
    return this.#goneSeq(id) < Number.POSITIVE_INFINITY;
  }

  /** The time at which it was purged or deleted. */
  #goneSeq(id: string): number {
    const purgedSeq = this.purged.has(id) && this.lives.get(id)!.steps.at(-1)!.seq;
    return this.#journal.forgotten.get(id)?.seq ?? (purgedSeq || Number.POSITIVE_INFINITY);
  }

  /** The answers that holders got: the lease was theirs until then, and it ended as they were told. */
  #checkLease(lease: ToldLease): void {
    const { itemId, deliveries, retries, settled } = lease;
    const steps = this.lives.get(itemId)?.steps ?? [];
    const from = steps.findIndex(
      (step) => step.cause === "leased" && step.deliveries === deliveries && step.retries === retries,
    );
    if (from < 0 || steps[from]!.recipient_id !== lease.recipientId) {
      this.#violate(
        `delivery ${deliveries} of ${itemId} to ${lease.recipientId} was told and did not happen`,
      );
      return;
    }
    const after = steps.slice(from + 1);
    const end = after.find((step) => step.cause !== "extended");
    const extended = after.slice(0, end && after.indexOf(end)).at(-1);
    const untilMs = extended ? extended.atMs + leaseSeconds * 1_000 : lease.untilMs;
    if (end?.cause === "lease_expired" && end.atMs < untilMs)
      this.#violate(`a lease of ${itemId} ended ${untilMs - end.atMs} ms early`);
    if (settled.has("extend") && !after.some((step) => step.cause === "extended"))
      this.#violate(`a lease of ${itemId} was told to be longer and is not`);
    if (lease.lost && end === undefined) this.#violate(`a lease of ${itemId} was told to be lost and is not`);
    const outcome = [...settled.keys()].find((one) => one !== "extend");
    if (outcome === undefined) return;
    if (end === undefined || !endings[outcome]!.includes(end.cause))
      this.#violate(`${outcome} of ${itemId} was acknowledged; what happened is ${end?.cause ?? "nothing"}`);
    else if (end.state !== (JSON.parse(settled.get(outcome)!) as Step).state)
      this.#violate(`${outcome} of ${itemId} was answered ${settled.get(outcome)}, it is ${end.state}`);
  }

  /** GCRA: in any window at most the burst plus what has been refilled, so at most the limit in any period. */
  #checkThrottle(): void {
    const { throttle } = this.#pool.settings;
    if (throttle === undefined) return;
    const interval = throttle.periodMs / (throttle.limit - throttle.burst + 1);
    for (const [group, times] of [...this.#handedOut, ...this.#handedOutBefore])
      for (let i = 0; i < times.length; i++)
        for (let j = i; j < times.length; j++)
          if (j - i + 1 > throttle.burst + Math.floor((times[j]! - times[i]!) / interval))
            this.#violate(`${j - i + 1} of ${group} were handed out within ${times[j]! - times[i]!} ms`);
  }
}

const endings: Readonly<Record<string, readonly string[]>> = {
  complete: ["completed"],
  fail: ["retry_scheduled", "dead", "superseded", "expired"],
  release: ["released", "dead", "superseded", "expired"],
  reject: ["dead"],
};

/** Which step may follow in which state. */
function allowed(cause: string, { state, steps }: Life): boolean {
  switch (cause) {
    case "enqueued":
      return steps.length === 0;
    case "coalesced":
      return state === "scheduled";
    case "ready":
      return state === "scheduled" || state === "retry_wait";
    case "leased":
      return state === "ready";
    case "extended":
    case "completed":
    case "retry_scheduled":
    case "released":
    case "lease_expired":
      return state === "leased";
    case "dead":
      return state === "leased";
    case "cancelled":
    case "drained":
    case "expired":
    case "superseded":
      return isWaiting(state) || state === "leased";
    default:
      return state === "dead";
  }
}
