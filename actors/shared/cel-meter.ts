import { type CelFunc, isCelList, isCelMap } from "@bufbuild/cel";
import { limits } from "#base";
import { patternCost } from "./cel-pattern.ts";

/** A loop step evaluates several parts that are no calls. */
export const loopSteps = 5;
const charactersPerStep = 64;
/** To compare a value of a list or a map takes as long as to read so many characters of a text. */
const charactersPerValue = 8;
/**
 * A regular expression looks at each of its instructions for each character, at worst: 40 ns each, and to compile an
 * instruction takes as long as to look at it 32 times.
 */
const instructionsPerStep = 512;
const looksToCompile = 32;

/** Counts what an evaluation does and ends it when it has done enough. One at a time: evaluation is synchronous. */
export class Meter {
  left = 0;

  charge(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new Error(`more than ${limits.celStepsMax} steps`);
  }

  /** The same function, charged for by what it is given. */
  watch(watched: CelFunc): CelFunc {
    const call: CelFunc["call"] = (id, target, values) => {
      if (watched.name === "matches") this.charge(matchSteps(target, values));
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

/** Known before it is run, unlike what else is done: one match alone could take a minute. */
function matchSteps(target: unknown, values: readonly unknown[]): number {
  const pattern = values.at(-1);
  if (typeof pattern !== "string") return 0;
  const { instructions, compiled } = patternCost(pattern);
  const characters = lengthOf(target) + sumOf(values.slice(0, -1));
  return Math.floor((looksToCompile * compiled + characters * instructions) / instructionsPerStep);
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return isCelList(value) || isCelMap(value) ? charactersPerValue * valuesIn(value) : 0;
}

/** With all that it holds: lists are compared to their depths. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  if (isCelList(value)) for (const one of value) count += valuesIn(one);
  else if (isCelMap(value)) for (const [, one] of value) count += valuesIn(one);
  return count;
}
