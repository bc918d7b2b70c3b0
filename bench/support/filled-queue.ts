import type { Stats } from "./bench.ts";
import { Lane } from "./lane.ts";
import { type QueueTarget, warmMs } from "./life-cycle.ts";

const seconds = 6;
/** Producers pause while this many items wait or are worked on, as BullMQ's do. */
const waitingMax = 2_000;

/** Lanes keep a queue filled for a worker, and what it completes after the warm-up is counted. */
export class FilledQueue {
  readonly #port: number;
  readonly #warmUntil = performance.now() + warmMs;
  readonly #until = this.#warmUntil + seconds * 1_000;
  #completed = 0;
  #waiting = 0;

  constructor({ port }: Pick<QueueTarget, "port">) {
    this.#port = port;
  }

  /** The worker has completed so many items. */
  completed(items: number): void {
    this.#waiting -= items;
    const now = performance.now();
    if (now >= this.#warmUntil && now < this.#until) this.#completed += items;
  }

  async run(lanes: number, enqueue: (lane: Lane) => Promise<number>): Promise<Stats> {
    await Promise.all(Array.from({ length: lanes }, () => this.#fill(enqueue)));
    return { per_s: this.#completed / seconds };
  }

  async #fill(enqueue: (lane: Lane) => Promise<number>): Promise<void> {
    const lane = new Lane(this.#port);
    while (performance.now() < this.#until) {
      if (this.#waiting > waitingMax) await new Promise((resolve) => setTimeout(resolve, 2));
      else {
        // Not `+=` with the call: it would forget what is completed meanwhile.
        const made = await enqueue(lane);
        this.#waiting += made;
      }
    }
    lane.close();
  }
}
