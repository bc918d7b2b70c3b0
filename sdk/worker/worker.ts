import { pause } from "../clock.ts";
import { SwitchyardError } from "../errors.ts";
import type { LeasedItem } from "../generated.ts";
import { pauseMs } from "../retry.ts";
import { Job } from "./job.ts";
import type { Hello, Line, LineEnd, LineEvents, Settled } from "./line.ts";
import type { Handler, HandlerContext, WorkerOptions, WorkerParts } from "./options.ts";
import {
  completion,
  failure,
  type Lease,
  LeaseLost,
  type Progress,
  release,
  sendableProgress,
  unsendable,
} from "./outcome.ts";
import { PollLine } from "./poll-line.ts";
import { WorkLine } from "./work-line.ts";

type Mode = "work" | "claim" | "settle";

/** Takes items of a pool, runs the handler for each, and settles it by what the handler does. */
export class Worker {
  /** Resolves when it has stopped; rejects where it cannot go on, such as for want of a permission. */
  readonly done: Promise<void>;
  readonly #poolId: string;
  readonly #handler: Handler;
  readonly #options: WorkerOptions;
  readonly #parts: WorkerParts;
  readonly #concurrency: number;
  /** By item: a new lease of one takes the place of the old. */
  readonly #jobs = new Map<string, Job>();
  #running = 0;
  /** Items that the line may still bring. */
  #granted = 0;
  #line: Line | undefined;
  #recipientId = "";
  #failed: SwitchyardError | undefined;
  readonly #stopping = new AbortController();
  readonly #cancels = new Set<() => void>();
  #isSweeping = false;
  /** The line of this session has brought items or answers. */
  #hasHeard = false;

  constructor(poolId: string, handler: Handler, options: WorkerOptions, parts: WorkerParts) {
    const { concurrency = 10 } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > concurrencyMax)
      throw new RangeError(`concurrency must be 1 to ${concurrencyMax}, not ${concurrency}`);
    this.#poolId = poolId;
    this.#handler = handler;
    this.#options = options;
    this.#parts = parts;
    this.#concurrency = concurrency;
    this.done = this.#run();
    // `onError` is told why it ends: a process need not wait for `done`, and must not end by it.
    this.done.catch(() => {});
  }

  /** No new items; handlers have `graceMs` to end, then their signals are aborted and their items released. */
  stop(): Promise<void> {
    if (this.#isStopping) return this.done;
    this.#stopping.abort();
    this.#line?.finish();
    this.#after(this.#options.graceMs ?? 20_000, () => {
      for (const job of this.#unsettled()) job.abort(new LeaseLost("the worker stops"));
      this.#after(abortedMs, () => this.#releaseAll());
    });
    return this.done;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    try {
      await this.#join();
      this.#beat();
      let mode: Mode = "work";
      for (let failures = 0; !this.#isDone; ) {
        const sinceMs = this.#parts.clock.now();
        this.#hasHeard = false;
        const end = await this.#session(mode);
        if (this.#hasHeard || this.#parts.clock.now() - sinceMs >= stableMs) failures = 0;
        mode = await this.#next(mode, end, failures++);
      }
    } finally {
      for (const cancel of this.#cancels) cancel();
      for (const job of this.#jobs.values()) job.lose("the worker has ended");
      this.#jobs.clear();
    }
    if (this.#failed !== undefined) throw this.#failed;
  }

  get #isDone(): boolean {
    return this.#isStopping && this.#jobs.size === 0;
  }

  /** Which line follows one that has ended. */
  async #next(mode: Mode, { error, wasOpen, retryAfterMs }: LineEnd, failures: number): Promise<Mode> {
    if (error !== undefined) this.#options.onError?.(error);
    if (error !== undefined && isFatal(error, failures)) this.#fail(error);
    if (this.#isDone) return "settle";
    // A server that cannot be reached, or a proxy that does not let a WebSocket through: claims find out which.
    if (mode === "work" && !wasOpen && error?.reason === "CONNECTION_LOST" && !this.#isStopping)
      return "claim";
    if (error?.code === "FAILED_PRECONDITION") return "settle";
    if (error !== undefined) {
      const ms = pauseMs(failures, retryAfterMs, this.#parts.random);
      await pause(this.#parts.clock, ms, this.#isStopping ? undefined : this.#stopping.signal);
    }
    if (error?.code === "NOT_FOUND" && !this.#isStopping) await this.#join();
    return this.#isStopping ? "settle" : "work";
  }

  /** It cannot go on. What its handlers have done may still be settled, where that is allowed. */
  #fail(error: SwitchyardError): void {
    if (this.#failed !== undefined) this.#dropAll();
    this.#failed ??= error;
    void this.stop();
  }

  async #join(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures++)
      try {
        this.#recipientId = await this.#parts.join();
        return;
      } catch (thrown) {
        if (!(thrown instanceof SwitchyardError)) throw thrown;
        this.#options.onError?.(thrown);
        if (!thrown.retryable) this.#fail(thrown);
        await pause(this.#parts.clock, pauseMs(failures, thrown.retryAfterMs, this.#parts.random), signal);
      }
  }

  #beat(): void {
    if (this.#isStopping) return;
    // One that fails is followed by the next.
    this.#parts.heartbeat(this.#recipientId).catch(() => {});
    this.#after(heartbeatMs, () => this.#beat());
  }

  /** Resolves when the line has ended. */
  #session(mode: Mode): Promise<LineEnd> {
    return new Promise((resolve) => {
      const credit =
        mode === "settle" || this.#isStopping ? 0 : Math.max(0, this.#concurrency - this.#running);
      const { leaseSeconds } = this.#options;
      const hello: Hello = { poolId: this.#poolId, recipientId: this.#recipientId, leaseSeconds, credit };
      let cancel = () => {};
      const events: LineEvents = {
        assigned: (items) => this.#assigned(items, line),
        settled: (results) => this.#settled(results),
        lost: (lease, reason) => this.#lost(lease, reason),
        refused: (error, itemIds) => this.#refused(error, itemIds),
        ended: (end) => {
          cancel();
          this.#line = undefined;
          resolve(end);
        },
      };
      const { clock } = this.#parts;
      const line: Line =
        mode === "work"
          ? new WorkLine(hello, { ...this.#parts, events })
          : new PollLine(hello, { ...this.#parts, events });
      this.#line = line;
      this.#granted = mode === "settle" ? Number.POSITIVE_INFINITY : credit;
      for (const job of this.#jobs.values()) this.#again(job, line);
      if (mode !== "work")
        cancel = clock.after(mode === "claim" ? claimForMs : restMs, () => this.#rested(line));
    });
  }

  /** A line without `Work` makes way for one; at a shutdown it stays until all is settled. */
  #rested(line: Line): void {
    if (!this.#isStopping) line.finish();
  }

  /** What a lost connection may have taken with it. */
  #again(job: Job, line: Line): void {
    if (job.settlement !== undefined) line.settle(job.settlement, job.isSuspect);
    for (const { seconds, told } of job.unanswered()) {
      job.asks(this.#parts.clock.now(), seconds, told);
      line.extend({ lease: job.lease, leaseSeconds: seconds });
    }
  }

  #assigned(items: readonly LeasedItem[], line: Line): void {
    if (line === this.#line) this.#granted -= items.length;
    this.#hasHeard = true;
    for (const leased of items) {
      const job = new Job(leased, this.#options.leaseSeconds, this.#parts.clock.now());
      this.#jobs.get(job.item.id)?.lose("reassigned");
      this.#jobs.set(job.item.id, job);
      if (this.#isStopping || this.#running >= this.#concurrency) this.#settle(job, release(job.lease));
      else void this.#handle(job);
    }
    this.#sweepSoon();
    this.#grant();
  }

  async #handle(job: Job): Promise<void> {
    this.#running++;
    const settlement = await this.#settlementOf(job);
    this.#running--;
    if (this.#jobs.get(job.item.id) === job && job.settlement === undefined) this.#settle(job, settlement);
    this.#grant();
  }

  /** What a handler does after its signal is aborted may be half of its work: the item is for another worker. */
  async #settlementOf(job: Job): Promise<string> {
    try {
      const result = await this.#handler(job.item, this.#contextOf(job));
      return job.isAborted ? release(job.lease) : completion(job.lease, result);
    } catch (thrown) {
      return job.isAborted ? release(job.lease) : failure(job.lease, thrown);
    }
  }

  #contextOf(job: Job): HandlerContext {
    return {
      get signal() {
        return job.signal;
      },
      progress: ({ percent, note, data }) => {
        job.progress = { percent, note, data };
      },
      extend: (leaseSeconds) =>
        new Promise((resolve, reject) => {
          const seconds = leaseSeconds ?? 1;
          if (!Number.isInteger(seconds) || seconds < 1 || seconds > leaseSecondsMax)
            reject(new RangeError(`leaseSeconds must be 1 to ${leaseSecondsMax}, not ${seconds}`));
          else if (this.#jobs.get(job.item.id) !== job) reject(new LeaseLost("expired"));
          else this.#extend(job, leaseSeconds ?? this.#options.leaseSeconds, { resolve, reject });
        }),
    };
  }

  #settle(job: Job, settlement: string): void {
    job.settlement = settlement;
    this.#line?.settle(settlement, job.isSuspect);
  }

  #extend(
    job: Job,
    leaseSeconds: number | undefined,
    told?: { resolve(): void; reject(error: Error): void },
  ): void {
    const now = this.#parts.clock.now();
    job.asks(now, leaseSeconds, told);
    const progress = this.#progressOf(job, now);
    this.#line?.extend({ lease: job.lease, leaseSeconds, progress });
  }

  /** As many items as there are handlers free. */
  #grant(): void {
    const free = this.#concurrency - this.#running - this.#granted;
    if (this.#isStopping) {
      if (this.#jobs.size === 0) this.#line?.finish();
    } else if (free > 0 && this.#line !== undefined) {
      this.#granted += free;
      this.#line.credit(free);
    }
  }

  #settled(results: readonly Settled[]): void {
    this.#hasHeard = true;
    for (const { queue_item_id, state, error } of results) {
      const job = this.#jobs.get(queue_item_id);
      if (job === undefined) continue;
      if (error !== undefined) this.#unsettledBy(error, job);
      else if (state === "leased") job.extended();
      else this.#jobs.delete(queue_item_id);
    }
    this.#grant();
  }

  #unsettledBy(error: SwitchyardError, job: Job): void {
    if (error.code === "NOT_FOUND" || error.code === "LEASE_LOST") this.#lose(job, error.reason ?? "gone");
    else if (error.retryable) this.#after(error.retryAfterMs ?? retryMs, () => this.#retry(job));
    else if (job.settlement !== undefined) this.#cannotSettle(error, job);
  }

  #retry(job: Job): void {
    if (this.#jobs.get(job.item.id) !== job || this.#line === undefined) return;
    if (job.settlement !== undefined) this.#line.settle(job.settlement, job.isSuspect);
    else for (const { seconds, told } of job.unanswered()) this.#extend(job, seconds, told);
  }

  /** The server does not take the result: that is said instead of it, once. */
  #cannotSettle(error: SwitchyardError, job: Job): void {
    this.#options.onError?.(error, job.item);
    if (job.isUnsendable || error.code === "STATE_CONFLICT") {
      this.#jobs.delete(job.item.id);
      return;
    }
    job.isUnsendable = true;
    this.#settle(job, unsendable(job.lease, "result_refused", `the result was refused: ${error.detail}`));
  }

  #refused(error: SwitchyardError, itemIds: readonly string[]): void {
    for (const id of itemIds) {
      const job = this.#jobs.get(id);
      if (job?.settlement === undefined) continue;
      if (itemIds.length === 1) this.#cannotSettle(error, job);
      else {
        job.isSuspect = true;
        this.#line?.settle(job.settlement, true);
      }
    }
  }

  #lost({ queue_item_id, lease_token }: Lease, reason: string): void {
    const job = this.#jobs.get(queue_item_id);
    if (job?.lease.lease_token === lease_token) this.#lose(job, reason);
  }

  #lose(job: Job, reason: string): void {
    this.#jobs.delete(job.item.id);
    job.lose(reason);
    this.#options.onError?.(new LeaseLost(reason), job.item);
    this.#grant();
  }

  #sweepSoon(): void {
    if (this.#isSweeping || this.#jobs.size === 0) return;
    this.#isSweeping = true;
    this.#after(sweepMs, () => {
      this.#isSweeping = false;
      this.#sweep();
      this.#sweepSoon();
    });
  }

  /** Extends leases at half time and sends progress; a lease that ended by our clock is lost. */
  #sweep(): void {
    const now = this.#parts.clock.now();
    for (const job of [...this.#jobs.values()]) {
      if (now >= job.endsAtMs) this.#lose(job, "expired");
      else if (job.settlement !== undefined || this.#line === undefined) continue;
      else if (now >= job.extendAtMs) this.#extend(job, this.#options.leaseSeconds);
      else if (job.progress !== undefined) this.#tellProgress(job, now);
    }
  }

  #tellProgress(job: Job, now: number): void {
    const progress = this.#progressOf(job, now);
    if (progress === undefined) return;
    const { leaseSeconds } = this.#options;
    job.asks(now, leaseSeconds);
    this.#line?.extend({ lease: job.lease, leaseSeconds, progress });
  }

  #progressOf(job: Job, now: number): Progress | undefined {
    const progress = job.takeProgress(now);
    if (progress === undefined) return undefined;
    return sendableProgress(progress, (detail) =>
      this.#options.onError?.(new SwitchyardError({ code: "INVALID_ARGUMENT", detail }), job.item),
    );
  }

  #unsettled(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ settlement }) => settlement === undefined);
  }

  #releaseAll(): void {
    for (const job of this.#unsettled()) this.#settle(job, release(job.lease));
    this.#after(settleWithinMs, () => this.#dropAll());
  }

  #dropAll(): void {
    for (const job of [...this.#jobs.values()]) this.#lose(job, "the worker has ended");
    this.#line?.close();
  }

  #after(ms: number, run: () => void): void {
    const cancel = this.#parts.clock.after(ms, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }
}

const concurrencyMax = 1_000;
const leaseSecondsMax = 43_200;
const heartbeatMs = 10_000;
const sweepMs = 250;
const retryMs = 500;
/** A line that lasted so long was a good one. */
const stableMs = 10_000;
/** How long claims are made before `Work` is tried again. */
const claimForMs = 60_000;
/** How long a recipient that is given nothing waits before it asks again. */
const restMs = 2_000;
/** What an aborted handler has to return. */
const abortedMs = 1_000;
/** What the last settlements have to be answered. */
const settleWithinMs = 10_000;

/** Nothing will change by itself. A credential may have been renewed since: it is tried once more. */
function isFatal(error: SwitchyardError, failures: number): boolean {
  if (error.retryable || error.code === "FAILED_PRECONDITION" || error.code === "NOT_FOUND") return false;
  return error.code !== "UNAUTHENTICATED" || failures > 0;
}
