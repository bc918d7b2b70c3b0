import { Random } from "#base";
import { type HandlerContext, PermanentError, type QueueItem, Reject, RetryLater } from "#sdk";
import { pause } from "../../../sdk/clock.ts";
import { Worker } from "../../../sdk/worker/worker.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeQueue, type LeaseEnd, leaseMs } from "./fake-queue.ts";

const faultsMs = 40_000;
const calmMs = 65_000;
const endMs = 200_000;
const graceMs = 3_000;
const concurrency = 4;

interface Run {
  readonly token: string;
  readonly signal: AbortSignal;
  finishedMs?: number;
}

/** One worker against a queue with faults. Returns every broken promise as a sentence. */
export async function runModel(seed: number): Promise<readonly string[]> {
  const model = new Model(new Random(seed));
  await model.run();
  return model.problems;
}

class Model {
  readonly problems: string[] = [];
  readonly #random: Random;
  readonly #clock = new FakeClock();
  readonly #queue: FakeQueue;
  readonly #runs = new Map<string, Run>();
  readonly #worker: Worker;
  readonly #hasSockets: boolean;
  #active = 0;
  #isDone = false;
  #isStopping = false;

  constructor(random: Random) {
    this.#random = random;
    const clock = this.#clock;
    const queue = new FakeQueue(clock, random.split("queue"));
    this.#queue = queue;
    queue.ended = (end) => this.#leaseEnded(end);
    this.#hasSockets = random.chance(0.8);
    queue.hasSockets = this.#hasSockets;
    const draws = random.split("worker");
    const options = { concurrency, graceMs, recipient: "r" };
    this.#worker = new Worker("pool", (item, context) => this.#handle(item, context), options, {
      clock,
      random: () => draws.float(),
      connect: queue.connect,
      call: queue.call,
      join: async () => "recipient",
      heartbeat: async () => undefined,
    });
    this.#worker.done.then(
      () => this.#ended(),
      (error: unknown) => this.problems.push(`the worker failed: ${error}`),
    );
  }

  async run(): Promise<void> {
    const clock = this.#clock;
    for (let item = 0; item < 40; item++)
      clock.after(this.#random.int(faultsMs), () => this.#queue.enqueue(`item-${item}`));
    for (let fault = this.#random.int(12); fault > 0; fault--) this.#fault(this.#random.int(faultsMs));
    clock.after(faultsMs, () => this.#restore());
    // In the middle of faults, in the middle of work, or when all is done.
    const kind = this.#random.pick(["faults", "work", "idle"] as const);
    const stopMs = {
      faults: this.#random.int(faultsMs),
      work: calmMs + 500 + this.#random.int(2_000),
      idle: endMs,
    };
    clock.after(calmMs, () => {
      for (let item = 0; item < 20; item++) this.#queue.enqueue(`late-${item}`);
    });
    await clock.runUntil(stopMs[kind], () => this.#isDone);
    if (kind === "idle") this.#allAreDone();
    void this.#worker.stop();
    this.#isStopping = true;
    const settledMs = kind === "idle" ? 500 : graceMs + 1_000 + 10_000;
    const withinMs = settledMs + (this.#hasSockets ? 500 : 21_000);
    await clock.runUntil(clock.now() + withinMs, () => this.#isDone);
    if (!this.#isDone) this.problems.push(`stopped in ${kind}, and not done within ${withinMs} ms`);
    if (kind !== "faults")
      for (const { id, state, deliveries } of this.#queue.items.values())
        if (state === "leased")
          this.problems.push(`${id} is leased after the shutdown (delivery ${deliveries})`);
    // Every check that is still to come.
    await clock.runUntil(clock.now() + 20_000);
  }

  async #handle(item: QueueItem, { signal, progress, extend }: HandlerContext): Promise<unknown> {
    const run: Run = { token: String(item.payload), signal };
    if (this.#runs.has(run.token)) this.problems.push(`${run.token} is handled twice`);
    if (this.#isStopping) this.problems.push(`${run.token} begins after the stop`);
    this.#runs.set(run.token, run);
    if (++this.#active > concurrency) this.problems.push(`${this.#active} handlers at once`);
    try {
      return await this.#work(signal, progress, extend);
    } finally {
      this.#active--;
      run.finishedMs = this.#clock.now();
    }
  }

  async #work(signal: AbortSignal, progress: HandlerContext["progress"], extend: HandlerContext["extend"]) {
    const draw = this.#random.float();
    if (draw < 0.05) await this.#abortOf(signal);
    else {
      if (draw < 0.2) progress({ percent: Math.floor(draw * 100) });
      if (draw > 0.9) await extend().catch(() => {});
      const longMs = this.#random.chance(0.1) ? 3 * leaseMs : 1_500;
      await new Promise<void>((resolve) => void this.#clock.after(this.#random.int(longMs), resolve));
    }
    const outcome = this.#random.float();
    if (outcome < 0.08) throw new Error("failed");
    if (outcome < 0.11) throw new PermanentError("never");
    if (outcome < 0.14) throw new Reject("not this one");
    if (outcome < 0.17) throw new RetryLater(1_000);
    return { outcome };
  }

  /** Some handlers end as soon as they are told to, some do not listen for a while. */
  async #abortOf(signal: AbortSignal): Promise<void> {
    await pause(this.#clock, 3 * leaseMs, signal);
    if (this.#random.chance(0.2)) await pause(this.#clock, leaseMs);
    if (this.#random.chance(0.5)) signal.throwIfAborted();
  }

  #fault(atMs: number): void {
    const kind = this.#random.pick([
      "kill",
      "kill",
      "half open",
      "go away",
      "pause",
      "cancel",
      "proxy",
    ] as const);
    const forMs = 200 + this.#random.int(8_000);
    this.#clock.after(atMs, () => {
      const queue = this.#queue;
      switch (kind) {
        case "kill":
          queue.kill();
          this.#clock.after(forMs, () => queue.start());
          return;
        case "half open":
          return queue.halfOpen();
        case "go away":
          return queue.goAway();
        case "pause":
          queue.pause(true);
          this.#clock.after(forMs, () => queue.pause(false));
          return;
        case "cancel":
          for (const item of queue.items.values()) if (this.#random.chance(0.3)) queue.cancel(item);
          return;
        case "proxy":
          queue.hasSockets = false;
          this.#clock.after(forMs, () => {
            queue.hasSockets = this.#hasSockets;
          });
      }
    });
  }

  #restore(): void {
    if (!this.#queue.isUp) this.#queue.start();
    this.#queue.pause(false);
    this.#queue.hasSockets = this.#hasSockets;
  }

  #leaseEnded({ token, by, isTold }: LeaseEnd): void {
    const run = this.#runs.get(token);
    const now = this.#clock.now();
    if (run === undefined || by === "settled") return;
    const isCalm = this.#queue.isUp && this.#queue.calmFromMs <= now - leaseMs / 2;
    if (by === "expired" && isCalm && !run.signal.aborted) {
      if (run.finishedMs === undefined) this.problems.push(`${token} expired while it was handled`);
      else if (run.finishedMs <= now - leaseMs / 2)
        this.problems.push(
          `${token} was handled ${now - run.finishedMs} ms before it expired, and not settled`,
        );
    }
    // A stream tells of the leases that it brought. Of others the worker finds out at the end of the lease, by its clock.
    const withinMs = by === "expired" || isTold ? 500 : leaseMs + 500;
    this.#clock.after(withinMs, () => {
      if (run.finishedMs === undefined && !run.signal.aborted)
        this.problems.push(`${token} is ${by} for ${withinMs} ms, and its handler was not told`);
    });
  }

  #allAreDone(): void {
    for (const { id, state, completedBy } of this.#queue.items.values()) {
      if (state !== "completed" && state !== "dead") this.problems.push(`${id} is ${state} at the end`);
      if (completedBy.length > 1) this.problems.push(`${id} was completed ${completedBy.length} times`);
    }
  }

  #ended(): void {
    this.#isDone = true;
    for (const { token, finishedMs, signal } of this.#runs.values())
      if (finishedMs === undefined && !signal.aborted)
        this.problems.push(`${token} is still handled after the end, and was not told`);
  }
}
