import { findPattern } from "./patterns.ts";
import type { Rule } from "./rule.ts";
import { deviationOf, meanOf, quantileOf } from "./statistics.ts";

/** What a method says of one value. */
export interface Verdict {
  readonly isAnomaly: boolean;
  readonly expected: number;
  /** How far it is out, in the units of the method; null where these are 0, and of patterns. */
  readonly score: number | null;
  /** What stands for the value in the windows of later ones: an anomaly counts as the outermost value that is none. */
  readonly clamped: number;
}

/** The values that came before, the newest last, and what the new one is compared with beside them. */
export interface Before {
  readonly values: readonly number[];
  /** What `rate_change` takes as its base; absent: the mean of the last five. */
  readonly base?: number;
}

const baseLength = 5;

/** The window is without the value itself. Pure: previews and monitors judge by it. */
export function judge(rule: Rule, before: Before, value: number): Verdict {
  switch (rule.method) {
    case "zscore":
      return byDeviation(rule, before.values, value);
    case "iqr":
      return byQuartiles(rule, before.values, value);
    case "rate_change":
      return byChange(rule, before, value);
    case "pattern": {
      const expected = meanOf(before.values);
      return { isAnomaly: findPattern(rule, before.values, value), expected, score: null, clamped: value };
    }
  }
}

function byDeviation(rule: Rule, values: readonly number[], value: number): Verdict {
  const mean = meanOf(values);
  const deviation = deviationOf(values, mean);
  const reach = rule.threshold * deviation;
  const verdict = within(rule, { least: mean - reach, most: mean + reach, expected: mean }, value);
  return { ...verdict, score: scoreOf(value - mean, deviation) };
}

function byQuartiles(rule: Rule, values: readonly number[], value: number): Verdict {
  const sorted = Float64Array.from(values).sort();
  const [low, expected, high] = [0.25, 0.5, 0.75].map((share) => quantileOf(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = rule.multiplier * (high - low);
  const verdict = within(rule, { least: low - reach, most: high + reach, expected }, value);
  const beyond = value > high ? value - high : Math.min(0, value - low);
  return { ...verdict, score: scoreOf(beyond, high - low) };
}

function byChange({ drop, min_base }: Rule, { values, base }: Before, value: number): Verdict {
  const expected = base === undefined ? meanOf(values.slice(-baseLength)) : 0;
  const of = base ?? expected;
  if (of < min_base) return { isAnomaly: false, expected, score: null, clamped: value };
  const least = expected - of * drop;
  const isAnomaly = value <= least;
  return {
    isAnomaly,
    expected,
    score: scoreOf(value - expected, of),
    clamped: isAnomaly ? Math.max(value, least) : value,
  };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly expected: number;
}

function within({ direction }: Rule, { least, most, expected }: Bounds, value: number) {
  const isAnomaly = (direction !== "below" && value > most) || (direction !== "above" && value < least);
  return { isAnomaly, expected, clamped: isAnomaly ? Math.min(Math.max(value, least), most) : value };
}

function scoreOf(distance: number, unit: number): number | null {
  return unit === 0 ? (distance === 0 ? 0 : null) : distance / unit;
}
