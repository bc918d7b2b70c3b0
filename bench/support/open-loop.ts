import { setTimeout as sleep } from "node:timers/promises";
import type { Stats } from "./bench.ts";

/**
 * Tasks that begin at a fixed rate whether or not earlier ones are done. Each is timed from when it was due, so that
 * waiting counts.
 */
export class OpenLoop {
  readonly #startMs = performance.now();
  readonly #intervalMs: number;
  readonly #count: number;
  readonly #warm: number;
  readonly #seconds: number;
  readonly #latenciesMs = new Map<number, number>();
  #next = 0;

  constructor(perSecond: number, warmMs: number, seconds: number) {
    this.#intervalMs = 1_000 / perSecond;
    this.#warm = (warmMs * perSecond) / 1_000;
    this.#count = this.#warm + seconds * perSecond;
    this.#seconds = seconds;
  }

  /** The next task, when it is due; `undefined` after the last. */
  async next(): Promise<number | undefined> {
    if (this.#next >= this.#count) return undefined;
    const index = this.#next++;
    const waitMs = this.#dueMs(index) - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return index;
  }

  finished(index: number): void {
    if (!this.#latenciesMs.has(index)) this.#latenciesMs.set(index, performance.now() - this.#dueMs(index));
  }

  /** Waits until all are done. */
  async stats(): Promise<Stats> {
    for (let tries = 0; this.#latenciesMs.size < this.#count; tries++) {
      if (tries > 3_000) throw new Error(`${this.#count - this.#latenciesMs.size} never finished`);
      await sleep(10);
    }
    const measured = [...this.#latenciesMs].filter(([index]) => index >= this.#warm).map(([, ms]) => ms);
    measured.sort((a, b) => a - b);
    const at = (share: number) => measured[Math.floor((measured.length - 1) * share)]!;
    return {
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      max_ms: at(1),
      per_s: measured.length / this.#seconds,
    };
  }

  #dueMs(index: number): number {
    return this.#startMs + index * this.#intervalMs;
  }
}
