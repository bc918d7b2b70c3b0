import type { LeasedItem, QueueItem } from "../generated.ts";
import { type Lease, LeaseLost, type Progress } from "./outcome.ts";

interface Asked {
  readonly atMs: number;
  readonly seconds: number | undefined;
  readonly told: Told | undefined;
}

export interface Told {
  resolve(): void;
  reject(error: Error): void;
}

/** An item that this worker holds: from its assignment until its settlement is answered or its lease is lost. */
export class Job {
  readonly item: QueueItem;
  readonly lease: Lease;
  readonly #leaseMs: number;
  /** Made when a handler looks at it: most never do, and it takes a third of the worker's own time for an item. */
  #abort: AbortController | undefined;
  #abortedBy: Error | undefined;
  /** By our clock, so that clocks need not agree. */
  endsAtMs: number;
  extendAtMs: number;
  /** JSON text, once its handler is over. */
  settlement: string | undefined;
  /** It is sent in a frame of its own, because a frame that it was in was refused. */
  isSuspect = false;
  /** Its settlement says already that the first one could not be sent. */
  isUnsendable = false;
  progress: Progress | undefined;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #asked: Asked[] = [];

  constructor(
    { item, lease_token, lease_expires_at }: LeasedItem,
    leaseSeconds: number | undefined,
    nowMs: number,
  ) {
    this.item = item!;
    this.lease = { queue_item_id: this.item.id, lease_token };
    const toldMs = Date.parse(lease_expires_at ?? "") - Date.parse(this.item.updated_at ?? "");
    this.#leaseMs = leaseSeconds !== undefined ? leaseSeconds * 1_000 : toldMs > 0 ? toldMs : defaultLeaseMs;
    this.endsAtMs = nowMs + this.#leaseMs;
    this.extendAtMs = nowMs + this.#leaseMs / 2;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.isAborted) this.#abort.abort(this.#abortedBy);
    }
    return this.#abort.signal;
  }

  get isAborted(): boolean {
    return this.#abortedBy !== undefined;
  }

  /** The first reason counts. */
  abort(reason: Error): void {
    this.#abortedBy ??= reason;
    this.#abort?.abort(reason);
  }

  /** Nothing that its handler still does counts. */
  lose(reason: string): void {
    const error = new LeaseLost(reason);
    this.abort(error);
    for (const { told } of this.#asked.splice(0)) told?.reject(error);
  }

  /** It is asked for; until it is answered it is asked for again at quarters of the lease. */
  asks(nowMs: number, seconds: number | undefined, told?: Told): void {
    this.#asked.push({ atMs: nowMs, seconds, told });
    this.extendAtMs = nowMs + this.#leaseMs / 4;
  }

  /** The first of those that were asked for is answered: the lease is as long, counted from when it was asked for. */
  extended(): void {
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    const ms = asked.seconds === undefined ? this.#leaseMs : asked.seconds * 1_000;
    this.endsAtMs = Math.max(this.endsAtMs, asked.atMs + ms);
    this.extendAtMs = asked.atMs + (this.endsAtMs - asked.atMs) / 2;
    asked.told?.resolve();
  }

  /** Those that a connection took with it, or the server could not do now: to be asked for again. */
  unanswered(): readonly Asked[] {
    return this.#asked.splice(0);
  }

  /** Progress to send now: at most one a second. */
  takeProgress(nowMs: number): Progress | undefined {
    if (this.progress === undefined || nowMs - this.#progressAtMs < progressEveryMs) return undefined;
    this.#progressAtMs = nowMs;
    const { progress } = this;
    this.progress = undefined;
    return progress;
  }
}

const defaultLeaseMs = 30_000;
const progressEveryMs = 1_000;
