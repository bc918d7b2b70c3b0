import { type CelValue, isCelList, isCelMap, isCelUint } from "@bufbuild/cel";
import { patternCost } from "./pattern.ts";
import { calendar } from "./time.ts";

/** Steps of a call beside those of its place in the expression, known before it runs. */
export type Cost = (target: CelValue | undefined, values: readonly CelValue[]) => number;

/** Characters that are compared or copied in one step: a processor does that 16 or more at a time. */
export const comparedPerStep = 256;
/** A search may look at a character several times, and comes to it one by one. */
const searchedPerStep = 24;
/** Walked one by one, and each becomes something else. */
const convertedPerStep = 64;
/** Each may become a piece of its own. */
const splitPerStep = 16;
/** A buffer is allocated outside the heap and its bytes are walked one by one. */
const bytesPerStep = 32;
/** A timestamp or a duration is a message: it is made, compared and printed by reflection. */
const messageSteps = 20;
/** A calendar of a time zone is made anew for each call. */
const zoneSteps = 1_500;
const dateSteps = 60;
/** Instructions of a regular expression that one step looks at, and what it takes to compile one. */
const looksPerStep = 9;
const compiledSteps = 5;
const matchSteps = 40;

/** Functions that are not here take no more than a call does. */
export const costs: Readonly<Record<string, Cost>> = {
  "_+_": reading(comparedPerStep),
  "_-_": reading(comparedPerStep),
  "_<_": reading(comparedPerStep),
  "_<=_": reading(comparedPerStep),
  "_>_": reading(comparedPerStep),
  "_>=_": reading(comparedPerStep),
  startsWith: reading(comparedPerStep),
  endsWith: reading(comparedPerStep),
  substring: reading(comparedPerStep),
  charAt: reading(comparedPerStep),
  contains: reading(searchedPerStep),
  indexOf: reading(searchedPerStep),
  lastIndexOf: reading(searchedPerStep),
  trim: reading(searchedPerStep),
  size: reading(convertedPerStep),
  lowerAscii: reading(convertedPerStep),
  upperAscii: reading(convertedPerStep),
  split: reading(splitPerStep),
  int: reading(convertedPerStep),
  uint: reading(convertedPerStep),
  double: reading(convertedPerStep),
  string: reading(convertedPerStep),
  bytes: (_target, [value]) => 2 + lengthOf(value) / bytesPerStep,
  bool: reading(comparedPerStep),
  type: reading(comparedPerStep),
  timestamp: fixed(messageSteps),
  // At most 128 characters: a number and a unit each, with a division of large integers.
  duration: (_target, values) => messageSteps + Math.min(lengthOf(values[0]), 128),
  matches: matchCost,
  ...Object.fromEntries(Array.from(calendar, (name) => [name, dateCost])),
};

/** By the text and bytes it is given, and the messages among them. */
function reading(charactersPerStep: number): Cost {
  return (target, values) => {
    let steps = target === undefined ? 0 : stepsOf(target, charactersPerStep);
    for (const value of values) steps += stepsOf(value, charactersPerStep);
    return steps;
  };
}

function fixed(steps: number): Cost {
  return () => steps;
}

function dateCost(_target: CelValue | undefined, values: readonly CelValue[]): number {
  return values.length === 0 ? dateSteps : zoneSteps;
}

function stepsOf(value: CelValue, charactersPerStep: number): number {
  if (typeof value === "string") return value.length / charactersPerStep;
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof Uint8Array) return value.length / bytesPerStep;
  return isCelList(value) || isCelMap(value) || isCelUint(value) ? 0 : messageSteps;
}

/** A regular expression looks at each of its instructions for each character, at worst. */
function matchCost(target: CelValue | undefined, values: readonly CelValue[]): number {
  const pattern = values.at(-1);
  return typeof pattern === "string" ? patternSteps(lengthOf(target), pattern) : 0;
}

/** To compile a pattern and look for it in a text of so many characters. */
export function patternSteps(length: number, pattern: string): number {
  const { instructions, compiled } = patternCost(pattern);
  return matchSteps + compiledSteps * compiled + (length * instructions) / looksPerStep;
}

function lengthOf(value: CelValue | undefined): number {
  return typeof value === "string" ? value.length : 0;
}
