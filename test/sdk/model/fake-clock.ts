import type { Clock } from "../../../sdk/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes only when the test says so, from one timer to the next. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(run: () => void): void {
    this.after(0, run);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Until the time, or until nothing is left to happen. */
  async runUntil(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      await settled();
      if (isOver()) return;
      let next: Timer | undefined;
      for (const timer of this.#timers)
        if (
          next === undefined ||
          timer.atMs < next.atMs ||
          (timer.atMs === next.atMs && timer.order < next.order)
        )
          next = timer;
      if (next === undefined || next.atMs > untilMs) {
        this.#nowMs = untilMs;
        return;
      }
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.run();
    }
  }
}

/** All promises have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
