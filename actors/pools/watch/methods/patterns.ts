import type { Pattern, Rule } from "./rule.ts";
import { deviationOf, meanOf } from "./statistics.ts";

/** How many points in a row, the new one among them, make the pattern. */
const lengths: Readonly<Record<Pattern, number>> = {
  same_side: 9,
  trend: 6,
  alternating: 14,
  two_of_three: 3,
  flatline: 5,
};

const farDeviations = 2;

/** Whether the last points show one of the rule's patterns. */
export function findPattern(rule: Rule, values: readonly number[], value: number): boolean {
  return rule.patterns.some((pattern) => {
    const length = lengths[pattern];
    return (
      values.length >= length &&
      isShown(pattern, rule, { values, last: [...values.slice(1 - length), value] })
    );
  });
}

interface Shown {
  /** All points before the new one: mean and deviation are theirs. */
  readonly values: readonly number[];
  readonly last: readonly number[];
}

function isShown(pattern: Pattern, rule: Rule, { values, last }: Shown): boolean {
  const mean = meanOf(values);
  switch (pattern) {
    case "same_side":
      return isAlways(
        last.map((one) => Math.sign(one - mean)),
        rule,
      );
    case "trend":
      return isAlways(steps(last), rule);
    case "alternating":
      return isAlternating(steps(last));
    case "two_of_three": {
      const far = farDeviations * deviationOf(values, mean);
      return isTwice(
        last.map((one) => (Math.abs(one - mean) > far ? Math.sign(one - mean) : 0)),
        rule,
      );
    }
    case "flatline":
      // Where nothing has come before, nothing has stopped.
      return (
        last.every((one) => one === 0) &&
        meanOf(values.slice(0, 1 - last.length)) >= Math.max(rule.min_base, tiny)
      );
  }
}

const tiny = Number.MIN_VALUE;

/** The signs that count where a rule looks in one direction only. */
function signsOf({ direction }: Rule): readonly number[] {
  return direction === "both" ? [1, -1] : direction === "above" ? [1] : [-1];
}

function isAlways(signs: readonly number[], rule: Rule): boolean {
  return signsOf(rule).some((sign) => signs.every((one) => one === sign));
}

function isTwice(signs: readonly number[], rule: Rule): boolean {
  return signsOf(rule).some(
    (sign) => signs.at(-1) === sign && signs.filter((one) => one === sign).length >= 2,
  );
}

function isAlternating(signs: readonly number[]): boolean {
  return signs.every((sign, index) => sign !== 0 && (index === 0 || sign === -signs[index - 1]!));
}

function steps(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => Math.sign(value - values[index]!));
}
