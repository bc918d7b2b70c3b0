import type { Worker } from "node:worker_threads";
import { limits } from "#base";
import { startThread } from "#runtime";
import type { RenderFailure } from "../types.ts";
import {
  type Batch,
  type BatchDone,
  type Job,
  type JobFailure,
  type JobResult,
  packJobs,
  type ThreadData,
} from "./jobs.ts";
import { RenderTurns } from "./turns.ts";

export interface RenderPoolOptions {
  readonly threads: number;
  /** Of one job: over it, its thread is replaced. */
  readonly timeoutMs: number;
  /** A job has ended as `code`, or `ok`; `killed`: its thread was ended for it. */
  readonly onEnd?: (code: RenderFailure | "ok", killed: boolean) => void;
}

/** A job that waits, or runs. */
interface Waiting {
  readonly tenant: string;
  readonly job: Job;
  readonly bytes: number;
  readonly done: (result: JobResult) => void;
}

/**
 * Runs templates in threads of their own, each with a small heap. A job that takes too long or too much memory fails, and its
 * thread is replaced; the other jobs of its batch run again. Threads start with the first job.
 */
export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #turns: RenderTurns<Waiting>;
  readonly #threads = new Set<RenderThread>();
  #isHanding = false;
  #isClosed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
    this.#turns = new RenderTurns(options.threads);
  }

  run(tenant: string, job: Job): Promise<JobResult> {
    return new Promise((done) => {
      if (this.#isClosed || !this.#turns.add({ tenant, job, bytes: bytesOf(job), done })) done(busy);
      else this.#handSoon();
    });
  }

  /** Jobs that come in one iteration of the event loop go in one post. */
  #handSoon(): void {
    if (this.#isHanding) return;
    this.#isHanding = true;
    setImmediate(() => {
      this.#isHanding = false;
      this.#hand();
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    for (const { done } of this.#turns.drain()) done(busy);
    return Promise.all([...this.#threads].map((thread) => thread.end())).then(() => undefined);
  }

  /** Gives what waits to threads that have nothing to do. */
  #hand(): void {
    for (let idle = this.#idle(); idle !== undefined; idle = this.#idle()) {
      const turn = this.#turns.next();
      if (turn === undefined) return;
      idle.run(turn);
    }
  }

  #idle(): RenderThread | undefined {
    for (const thread of this.#threads) if (thread.isIdle) return thread;
    if (this.#threads.size >= this.#options.threads) return undefined;
    const made = new RenderThread(this.#options.timeoutMs, (thread, turn, outcome) =>
      this.#ended(thread, turn, outcome),
    );
    this.#threads.add(made);
    return made;
  }

  #ended(thread: RenderThread, { batch, ended }: Turn, outcome: readonly JobResult[] | Killed): void {
    const isKilled = "failure" in outcome;
    if (isKilled) this.#threads.delete(thread);
    const again: Waiting[] = [];
    for (const [index, one] of batch.entries()) {
      const failure = isKilled && (index === outcome.index || this.#isClosed) ? outcome.failure : undefined;
      const result = isKilled ? failure : outcome[index];
      if (result === undefined) {
        // Nothing starts after the end: a job that was given back would get a new thread.
        if (this.#isClosed) one.done(busy);
        else again.push(one);
        continue;
      }
      this.#options.onEnd?.(result.type === "failed" ? result.code : "ok", isKilled);
      one.done(result);
    }
    ended(again);
    if (!this.#isClosed) this.#hand();
  }
}

/** A batch, and who hears of its end. */
interface Turn {
  readonly batch: readonly Waiting[];
  readonly ended: (again: readonly Waiting[]) => void;
}

const busy: JobFailure = {
  type: "failed",
  code: "BUSY",
  message: "too many templates of this tenant or of all wait to be rendered, or the service is stopping",
};

/** The thread is gone, and this job of its batch is the reason. */
interface Killed {
  readonly index: number;
  readonly failure: JobFailure;
}

/** Results of the first jobs of a batch, or of all. */
type Ended = (thread: RenderThread, turn: Turn, outcome: readonly JobResult[] | Killed) => void;

const looksPerTimeout = 5;

class RenderThread {
  readonly #worker: Worker;
  readonly #progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
  readonly #onEnd: Ended;
  readonly #lookMs: number;
  #turn: Turn | undefined;
  #isOver = false;
  #isReady = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, onEnd: Ended) {
    this.#onEnd = onEnd;
    this.#lookMs = Math.max(1, Math.ceil(timeoutMs / looksPerTimeout));
    const module = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js", import.meta.url);
    this.#worker = startThread(module, {
      workerData: { progress: this.#progress } satisfies ThreadData,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.renderHeapMb,
        maxYoungGenerationSizeMb: limits.renderYoungHeapMb,
      },
    });
    this.#worker.on("message", (message: BatchDone | "ready") => {
      if (message === "ready") {
        this.#isReady = true;
        return;
      }
      this.#watched(false);
      const turn = this.#turn!;
      this.#turn = undefined;
      this.#onEnd(this, turn, message.results);
    });
    this.#worker.on("error", (error: Error & { code?: string }) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.#over(
        isMemory ? "MEMORY" : "TEMPLATE_ERROR",
        isMemory ? "it needs too much memory" : "it ended its thread",
      );
    });
    this.#worker.on("exit", () => this.#over("TEMPLATE_ERROR", "its thread has ended"));
  }

  get isIdle(): boolean {
    return this.#turn === undefined && !this.#isOver;
  }

  run(turn: Turn): void {
    this.#turn = turn;
    Atomics.store(this.#progress, 0, -1);
    this.#watched(true);
    this.#worker.postMessage({ jobs: packJobs(turn.batch.map(({ job }) => job)) } satisfies Batch);
  }

  async end(): Promise<void> {
    this.#over("BUSY", "the service is stopping");
    await this.#worker.terminate();
  }

  /** Looks several times whether the same job still runs: a thread of ours that stood still itself ends nothing. */
  #watched(isOn: boolean): void {
    clearInterval(this.#watch);
    if (!isOn) {
      this.#worker.unref();
      return;
    }
    this.#worker.ref();
    let last = -1;
    let looks = 0;
    this.#watch = setInterval(() => {
      const running = Atomics.load(this.#progress, 0);
      looks = running === last && running >= 0 ? looks + 1 : 0;
      last = running;
      if (looks >= looksPerTimeout) this.#over("TIMEOUT", "it takes too long");
    }, this.#lookMs);
  }

  #over(code: RenderFailure, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#watch);
    this.#worker.terminate().catch(() => undefined);
    const turn = this.#turn ?? { batch: [], ended: () => undefined };
    this.#turn = undefined;
    // A thread that cannot start fails what it was given, one after the other, and not for ever.
    const index = Math.max(0, Atomics.load(this.#progress, 0));
    this.#onEnd(this, turn, {
      index,
      failure: { type: "failed", code: this.#isReady ? code : "BUSY", message },
    });
  }
}

/** What a job holds is text: its length is about what it takes. */
function bytesOf(job: Job): number {
  switch (job.type) {
    case "render":
      return job.subject.length + job.body.length + (job.layout?.body.length ?? 0) + job.data.length;
    case "check":
      return job.templates.reduce((sum, { source }) => sum + source.length, 0);
    case "preview":
      return job.body.length + job.data.length;
  }
}
