import type { TuplePart } from "#base";
import type { Address } from "../actor.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import { unpackValue } from "./codec.ts";
import { Heap } from "./heap.ts";
import { keyOf } from "./partition.ts";
import type { Reader } from "./reader.ts";
import { duePartition, type TimerChange } from "./recorder.ts";

export interface DueTimer {
  readonly address: Address;
  readonly timerId: string;
  readonly dueMs: number;
  /** When to try: the due time, or later after a failure. */
  readonly fireAtMs: number;
  cancelled: boolean;
}

/** Rows read at once when the window moves on. */
const pageRows = 1_000;
/** With very many timers in memory the window moves on only when its end is this near. */
const lastMomentMs = 2_000;
const retryMs = 1_000;
/** Fewer are not worth a look at all timers. */
const cancelledMin = 1_024;

type TimerLimits = Pick<RuntimeLimits, "timersInMemoryMax" | "timerWindowMs">;

/**
 * The timers of a shard that are due soon, in memory; the rest are rows. The window covers every row before `#end`:
 * a timer set before that enters it at once, one set after it is read when the window reaches it.
 */
export class TimerWindow {
  readonly #reader: Reader;
  readonly #limits: TimerLimits;
  readonly #heap = new Heap<DueTimer>((a, b) => a.fireAtMs - b.fireAtMs);
  readonly #known = new Map<string, DueTimer>();
  /** Of those in the heap. */
  #cancelled = 0;
  /** Key text: rows before it are in the window. */
  #end = "";
  /** Time up to which the window is complete. */
  #endMs = 0;
  #filling = false;
  /** After a failed read: when to try again. */
  #notBeforeMs = 0;

  constructor(reader: Reader, limits: TimerLimits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  get size(): number {
    return this.#heap.size;
  }

  /** When something has to be done next: a timer is due, or the window must move on. */
  get nextMs(): number {
    const refill = this.#filling ? Number.POSITIVE_INFINITY : Math.max(this.#refillMs, this.#notBeforeMs);
    return Math.min(refill, this.#heap.peek()?.fireAtMs ?? Number.POSITIVE_INFINITY);
  }

  /** When the window must move on: early, unless very many timers are in it already. */
  get #refillMs(): number {
    const { timersInMemoryMax, timerWindowMs } = this.#limits;
    return this.#endMs - (this.#heap.size > timersInMemoryMax ? lastMomentMs : timerWindowMs / 2);
  }

  /** Follows a joined change. */
  changed(change: TimerChange): void {
    const { address } = change.entity;
    const name = nameOf(address, change.timerId);
    const before = this.#known.get(name);
    if (before !== undefined) {
      this.#known.delete(name);
      this.#cancel(before);
    }
    if (change.dueMs === undefined || change.key === undefined || change.key >= this.#end) return;
    this.#add(address, change.timerId, change.dueMs, change.dueMs);
  }

  /** After a failure: the same timer again, later. */
  retry(address: Address, timerId: string, dueMs: number, fireAtMs: number): void {
    this.#add(address, timerId, dueMs, fireAtMs);
  }

  /** Takes what is due, at most `count`. */
  takeDue(nowMs: number, count: number): DueTimer[] {
    const due: DueTimer[] = [];
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      if (top.fireAtMs > nowMs || due.length === count) break;
      this.#heap.pop();
      if (top.cancelled) {
        this.#cancelled--;
        continue;
      }
      const name = nameOf(top.address, top.timerId);
      if (this.#known.get(name) === top) this.#known.delete(name);
      due.push(top);
    }
    return due;
  }

  /** Reads the rows of the next stretch of time; calls back when there may be something new to wait for. */
  fill(nowMs: number, done: (failure: unknown) => void): void {
    const untilMs = nowMs + this.#limits.timerWindowMs;
    if (this.#filling || nowMs < Math.max(this.#refillMs, this.#notBeforeMs)) {
      done(undefined);
      return;
    }
    this.#filling = true;
    const to = keyOf([Math.ceil(untilMs)]);
    const from = this.#end;
    this.#reader.scan(duePartition, { from, to, limit: pageRows }, (failure, rows) => {
      this.#filling = false;
      if (failure !== undefined) {
        this.#notBeforeMs = nowMs + retryMs;
        done(failure);
        return;
      }
      for (const row of rows) {
        const [dueMs, kind, tenant, key, timerId] = unpackValue(row.value, duePartition) as TuplePart[];
        const address = { kind: String(kind), tenant: String(tenant), key: String(key) };
        this.#add(address, String(timerId), Number(dueMs), Number(dueMs));
        this.#endMs = Number(dueMs);
      }
      if (rows.length < pageRows) {
        this.#end = to;
        this.#endMs = untilMs;
      } else this.#end = `${rows.at(-1)!.key}\0`;
      done(undefined);
    });
  }

  /** Most timers never fire: a lease is settled long before it ends. So those that are called off do not stay until then. */
  #cancel(timer: DueTimer): void {
    timer.cancelled = true;
    if (++this.#cancelled < Math.max(cancelledMin, this.#heap.size / 2)) return;
    this.#heap.keep(({ cancelled }) => !cancelled);
    this.#cancelled = 0;
  }

  #add(address: Address, timerId: string, dueMs: number, fireAtMs: number): void {
    const timer = { address, timerId, dueMs, fireAtMs, cancelled: false };
    this.#heap.push(timer);
    const name = nameOf(address, timerId);
    if (!this.#known.has(name)) this.#known.set(name, timer);
  }
}

function nameOf(address: Address, timerId: string): string {
  return `${address.kind}\0${address.tenant}\0${address.key}\0${timerId}`;
}
