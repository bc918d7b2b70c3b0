import type { CelFunc } from "@bufbuild/cel";
import { limits } from "#base";

/** A loop step evaluates several parts that are no calls. */
export const loopSteps = 5;
const charactersPerStep = 64;

/** Counts what an evaluation does and ends it when it has done enough. One at a time: evaluation is synchronous. */
export class Meter {
  left = 0;

  charge(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new Error(`more than ${limits.celStepsMax} steps`);
  }

  /** The same function, charged for by the text it is given. */
  watch(watched: CelFunc): CelFunc {
    const call: CelFunc["call"] = (id, target, values) => {
      const result = watched.call(id, target, values);
      // An overload that does not fit costs nothing.
      if (result !== undefined)
        this.charge(1 + Math.ceil((lengthOf(target) + sumOf(values)) / charactersPerStep));
      return result;
    };
    return Object.create(watched, { call: { value: call } }) as CelFunc;
  }
}

function sumOf(values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values) sum += lengthOf(value);
  return sum;
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
