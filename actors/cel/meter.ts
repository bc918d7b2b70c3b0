import { limits } from "#base";

/**
 * Counts the work of one evaluation and ends it when its steps are used up. A step stands for about a quarter of a microsecond
 * of the owner thread; `bench/cel-cost.bench.ts` measures how far each function is from that. Work is charged before it is
 * done. One meter serves a thread: evaluation is synchronous.
 */
export class Meter {
  left = 0;

  /** Throws, rather than answer an error: `||` and `exists` would take an error for a value and go on. */
  charge(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new Error(tooManySteps);
  }
}

export const tooManySteps = `takes more steps than it may: an expression has ${limits.celStepsMax}, all expressions over one item have ${limits.celItemStepsMax}`;
