import type { Random } from "#base";
import { type LeasedItem, SwitchyardError } from "#sdk";
import { connectionLost, errorOf } from "../../../sdk/errors.ts";
import type { Socket, SocketEvents } from "../../../sdk/socket.ts";
import type { FakeClock } from "./fake-clock.ts";

export interface FakeItem {
  readonly id: string;
  state: "ready" | "leased" | "completed" | "dead";
  /** Not before. */
  readyAtMs: number;
  token: string;
  leaseEndsAtMs: number;
  deliveries: number;
  completedBy: string[];
}

interface Entry {
  readonly queue_item_id: string;
  readonly lease_token: string;
  readonly outcome: string;
  readonly retryable?: boolean;
  readonly delay_ms?: number;
}

type Told = Readonly<Record<string, unknown>>;

/** What a lease came to, for the test. */
export interface LeaseEnd {
  readonly token: string;
  readonly by: "settled" | "expired" | "cancelled";
  /** A stream has said so. */
  readonly isTold: boolean;
}

export const leaseMs = 6_000;

/** A queue with one recipient as the service has it: leases, `Work`, claims, and faults on the way to it. */
export class FakeQueue {
  readonly items = new Map<string, FakeItem>();
  readonly settlements = new Map<string, string>();
  /** Called at the end of each lease. */
  ended: (end: LeaseEnd) => void = () => {};
  readonly #clock: FakeClock;
  readonly #random: Random;
  readonly #sessions = new Set<FakeSession>();
  readonly #waits = new Set<() => void>();
  #tokens = 0;
  isUp = true;
  isPaused = false;
  /** A proxy refuses upgrades. */
  hasSockets = true;
  /** From when on its worker must have a good connection again. */
  calmFromMs = 0;

  constructor(clock: FakeClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  enqueue(id: string): void {
    const item: FakeItem = {
      id,
      state: "ready",
      readyAtMs: 0,
      token: "",
      leaseEndsAtMs: 0,
      deliveries: 0,
      completedBy: [],
    };
    this.items.set(id, item);
    this.#wake();
  }

  cancel(item: FakeItem): void {
    if (item.state !== "leased") return;
    this.#lost(item, "cancelled");
    item.state = "dead";
  }

  kill(): void {
    this.isUp = false;
    for (const session of [...this.#sessions]) session.cut();
    for (const wake of [...this.#waits]) wake();
  }

  start(): void {
    this.isUp = true;
    this.disturbed(8_000);
  }

  /** Connections are dead, and neither side hears of it. */
  halfOpen(): void {
    this.disturbed(25_000);
    for (const session of [...this.#sessions]) session.silence();
  }

  goAway(): void {
    this.disturbed(1_500);
    for (const session of [...this.#sessions]) session.goAway();
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.#wake();
  }

  disturbed(forMs: number): void {
    this.calmFromMs = Math.max(this.calmFromMs, this.#clock.now() + forMs);
  }

  readonly connect = (_method: string, events: SocketEvents): Socket => {
    const session = new FakeSession(this, this.#clock, this.#random, events);
    this.#sessions.add(session);
    return session;
  };

  readonly call = async (verb: string, _pool: string, body: string): Promise<unknown> => {
    await this.#way();
    const request = JSON.parse(body);
    const answer =
      verb === "claim" ? await this.#claimed(request) : { results: this.settle(request.settlements) };
    await this.#way();
    return answer;
  };

  forget(session: FakeSession): void {
    this.#sessions.delete(session);
  }

  lease(max: number): LeasedItem[] {
    const leased: LeasedItem[] = [];
    for (const item of this.items.values()) {
      if (leased.length >= max) break;
      if (item.state !== "ready" || item.readyAtMs > this.#clock.now()) continue;
      leased.push(this.#leased(item));
    }
    return leased;
  }

  settle(entries: readonly Entry[]): Told[] {
    return entries.map((entry, index) => ({
      index,
      queue_item_id: entry.queue_item_id,
      ...this.#settleOne(entry),
    }));
  }

  #settleOne({ queue_item_id, lease_token, outcome, retryable, delay_ms }: Entry): Told {
    const item = this.items.get(queue_item_id);
    if (item === undefined) return { error: problem("NOT_FOUND") };
    const before = this.settlements.get(lease_token);
    if (outcome !== "extend" && before !== undefined)
      return before === outcome ? { state: settledStates[outcome] } : { error: problem("STATE_CONFLICT") };
    if (item.state !== "leased" || item.token !== lease_token)
      return { error: problem("LEASE_LOST", "expired") };
    if (this.#random.chance(0.02))
      return { error: { ...problem("RATE_LIMITED"), retryable: true, retry_after_ms: 200 } };
    if (outcome === "extend") {
      item.leaseEndsAtMs = Math.max(item.leaseEndsAtMs, this.#clock.now() + leaseMs);
      return { state: "leased" };
    }
    this.settlements.set(lease_token, outcome);
    this.ended({ token: lease_token, by: "settled", isTold: true });
    if (outcome === "complete") {
      item.state = "completed";
      item.completedBy.push(lease_token);
    } else {
      const isDead = outcome === "reject" || retryable === false;
      item.state = isDead ? "dead" : "ready";
      item.readyAtMs = this.#clock.now() + (outcome === "fail" ? (delay_ms ?? 500) : 0);
    }
    this.#wake();
    return { state: settledStates[outcome] };
  }

  async #claimed(request: { readonly max_items: number; readonly wait_seconds: number }): Promise<unknown> {
    const untilMs = this.#clock.now() + request.wait_seconds * 1_000;
    for (;;) {
      if (!this.isUp) throw connectionLost();
      if (this.isPaused) throw errorOf(problem("FAILED_PRECONDITION", "RECIPIENT_PAUSED"), 412);
      const items = this.lease(request.max_items);
      if (items.length > 0 || this.#clock.now() >= untilMs) return { items };
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel();
          this.#waits.delete(done);
          resolve();
        };
        const cancel = this.#clock.after(Math.min(500, untilMs - this.#clock.now()), done);
        this.#waits.add(done);
      });
    }
  }

  #leased(item: FakeItem): LeasedItem {
    const now = this.#clock.now();
    item.state = "leased";
    item.token = `token-${++this.#tokens}`;
    item.deliveries++;
    item.leaseEndsAtMs = now + leaseMs;
    this.#watch(item, item.token);
    // Its clock is not the worker's.
    const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
    const shown = { id: item.id, payload: item.token, updated_at: at(now) };
    return JSON.parse(
      JSON.stringify({ item: shown, lease_token: item.token, lease_expires_at: at(item.leaseEndsAtMs) }),
    );
  }

  /** Leases end on a timer of the server, also while it is down: it looks when it comes back. */
  #watch(item: FakeItem, token: string): void {
    this.#clock.after(item.leaseEndsAtMs - this.#clock.now(), () => {
      if (item.state !== "leased" || item.token !== token) return;
      if (this.#clock.now() < item.leaseEndsAtMs) return this.#watch(item, token);
      this.#lost(item, "expired");
      item.state = "ready";
      this.#wake();
    });
  }

  #lost(item: FakeItem, by: "expired" | "cancelled"): void {
    const told = [...this.#sessions].filter((session) => session.lost(item, by));
    this.ended({ token: item.token, by, isTold: told.length > 0 });
  }

  #wake(): void {
    for (const wake of [...this.#waits]) wake();
    for (const session of [...this.#sessions]) session.advance();
  }

  /** Of a request or its answer. */
  async #way(): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.after(1 + this.#random.int(20), resolve));
    if (!this.isUp) throw connectionLost();
  }
}

const settledStates: Readonly<Record<string, string>> = {
  complete: "completed",
  fail: "retry_wait",
  release: "ready",
  reject: "dead",
};

function problem(error_code: string, reason = "") {
  return { error_code, reason, detail: error_code, retryable: false };
}

/** One `Work` stream. What is sent takes its time, in order. */
class FakeSession implements Socket {
  readonly #queue: FakeQueue;
  readonly #clock: FakeClock;
  readonly #random: Random;
  readonly #events: SocketEvents;
  readonly #held = new Map<string, string>();
  #credit = 0;
  #greeted = false;
  #ended = false;
  #isSilent = false;
  #isOver = false;
  #toServerMs = 0;
  #toWorkerMs = 0;

  constructor(queue: FakeQueue, clock: FakeClock, random: Random, events: SocketEvents) {
    this.#queue = queue;
    this.#clock = clock;
    this.#random = random;
    this.#events = events;
    this.#atServer(() => {
      if (!queue.isUp || !queue.hasSockets) this.#close(connectionLost(), false);
    });
  }

  send(message: string): void {
    this.#atServer(() => this.#receive(JSON.parse(message)));
  }

  async ready(): Promise<void> {}

  end(): void {
    this.#atServer(() => {
      this.#ended = true;
      this.#close(undefined, true);
    });
  }

  close(): void {
    this.#isSilent = true;
    this.#queue.forget(this);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.closed(undefined, true);
  }

  cut(): void {
    this.#close(connectionLost(), true);
  }

  silence(): void {
    this.#isSilent = true;
    this.#queue.forget(this);
  }

  goAway(): void {
    if (!this.#greeted) return;
    this.#tell({ go_away: { reason: "DRAINING", retry_after_ms: 300 } });
    this.#close(new SwitchyardError({ code: "UNAVAILABLE", detail: "draining", retryable: true }), true);
  }

  /** Whether it had brought the lease, and says that it is lost. */
  lost(item: FakeItem, reason: string): boolean {
    if (this.#held.get(item.id) !== item.token) return false;
    this.#held.delete(item.id);
    this.#tell({ lease_lost: { queue_item_id: item.id, lease_token: item.token, reason } });
    return true;
  }

  advance(): void {
    if (!this.#greeted || this.#ended || this.#isSilent || !this.#queue.isUp) return;
    if (this.#queue.isPaused) {
      if (this.#held.size === 0)
        this.#close(errorOf(problem("FAILED_PRECONDITION", "RECIPIENT_PAUSED"), 412), true);
      return;
    }
    const items = this.#queue.lease(this.#credit);
    if (items.length === 0) return;
    this.#credit -= items.length;
    for (const { item, lease_token } of items) this.#held.set(item!.id, lease_token);
    this.#tell({ assigned: { items } });
  }

  // biome-ignore lint/suspicious/noExplicitAny: a frame of the contract.
  #receive({ hello, credit, settle, extend }: any): void {
    if (hello !== undefined) {
      this.#greeted = true;
      this.#credit = hello.credit;
    } else if (credit !== undefined) this.#credit += credit.items;
    else if (settle !== undefined) this.#settle(settle.settlements);
    else if (extend !== undefined)
      this.#settle(extend.leases.map((lease: object) => ({ ...lease, outcome: "extend" })));
    else this.#tell({ refused: { error: problem("INVALID_ARGUMENT"), queue_item_ids: [] } });
    this.advance();
  }

  #settle(entries: readonly Entry[]): void {
    const results = this.#queue.settle(entries);
    const told: Told[] = [];
    for (const [index, { queue_item_id, lease_token }] of entries.entries()) {
      const { error, state } = results[index]!;
      const code = (error as { error_code?: string } | undefined)?.error_code;
      if (state !== undefined && state !== "leased") this.#held.delete(queue_item_id);
      if (code === "LEASE_LOST")
        this.#tell({ lease_lost: { queue_item_id, lease_token, reason: "expired" } });
      else told.push(results[index]!);
    }
    if (told.length > 0) this.#tell({ settled: { results: told } });
  }

  #tell(message: Told): void {
    this.#atWorker(() => this.#events.message(JSON.parse(JSON.stringify(message))));
  }

  /** What was said before still comes; what the worker sends is lost. */
  #close(error: SwitchyardError | undefined, opened: boolean): void {
    if (this.#isSilent) return;
    this.#queue.forget(this);
    this.#atWorker(() => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#events.closed(error, opened);
    });
    this.#ended = true;
  }

  #atServer(run: () => void): void {
    this.#toServerMs = Math.max(this.#toServerMs, this.#clock.now() + 1 + this.#random.int(20));
    this.#clock.after(this.#toServerMs - this.#clock.now(), () => {
      if (!this.#isSilent && !this.#ended) run();
    });
  }

  #atWorker(run: () => void): void {
    this.#toWorkerMs = Math.max(this.#toWorkerMs, this.#clock.now() + 1 + this.#random.int(20));
    this.#clock.after(this.#toWorkerMs - this.#clock.now(), () => {
      if (!this.#isSilent && !this.#isOver) run();
    });
  }
}
