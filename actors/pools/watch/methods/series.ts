import { judge, type Verdict } from "./judge.ts";
import type { Rule } from "./rule.ts";
import { type Bin, binOf, nextBin, type Seasonality } from "./season.ts";

/** What a series of points is judged by. */
export interface SeriesRule extends Rule {
  readonly window_points: number;
  readonly min_points: number;
  readonly seasonality: Seasonality;
  readonly time_zone: string;
}

/** As it entered the series: an anomaly clamped. */
export interface Point {
  readonly value: number;
  /** The distance from its hour's mean; null while that was not known. */
  readonly residual: number | null;
}

/** The last points, the newest last, and the hours. */
export interface Series {
  readonly points: readonly Point[];
  readonly bins: ReadonlyMap<number, Bin>;
}

export interface Judged {
  /** Absent: there are too few points. */
  readonly verdict?: Verdict & { readonly baseline: "window" | "seasonal" };
  readonly point: Point;
  /** Of its hour, where hours are told apart. */
  readonly bin?: { readonly number: number; readonly after: Bin };
}

/** A bin of fewer values is not compared with. */
const binLeast = 3;

/** What one value is in its series, and what the series takes in. */
export function judgeNext(rule: SeriesRule, series: Series, value: number, at: number): Judged {
  const number = rule.seasonality === "none" ? undefined : binOf(rule.seasonality, rule.time_zone, at);
  const bin = number === undefined ? undefined : series.bins.get(number);
  const hour = bin !== undefined && bin.n >= binLeast ? bin.mean : undefined;
  const verdict = verdictOf(rule, series, value, hour);
  const entered = verdict?.clamped ?? value;
  return {
    ...(verdict && { verdict }),
    point: { value: entered, residual: hour === undefined ? null : entered - hour },
    ...(number !== undefined && { bin: { number, after: nextBin(bin, entered) } }),
  };
}

function verdictOf(
  rule: SeriesRule,
  { points }: Series,
  value: number,
  hour: number | undefined,
): Judged["verdict"] {
  if (points.length < rule.min_points) return undefined;
  const residuals = hour === undefined ? [] : points.flatMap(({ residual }) => residual ?? []);
  if (hour === undefined || residuals.length < rule.min_points) {
    const values = points.map((point) => point.value);
    return { ...judge(rule, { values }, value), baseline: "window" };
  }
  const found = judge(rule, { values: residuals, base: hour }, value - hour);
  return {
    ...found,
    expected: found.expected + hour,
    clamped: found.clamped + hour,
    baseline: "seasonal",
  };
}

/** The series with one point more, and no more than its window. */
export function withPoint(rule: SeriesRule, { points, bins }: Series, { point, bin }: Judged): Series {
  const rest =
    points.length < rule.window_points ? points : points.slice(points.length - rule.window_points + 1);
  return { points: [...rest, point], bins: bin ? new Map(bins).set(bin.number, bin.after) : bins };
}

/** How a monitor's verdicts add up to anomalies. */
export interface Streak {
  /** Points in a row: anomalies while none is open, others while one is. */
  readonly run: number;
  readonly isOpen: boolean;
  /** None opens before. */
  readonly coolUntil: number;
}

export interface StreakRule {
  readonly open_after: number;
  readonly close_after: number;
  readonly cooldown_seconds: number;
}

export const calm: Streak = { run: 0, isOpen: false, coolUntil: 0 };

/** The streak after one more verdict: an anomaly opens or closes where `isOpen` changes. */
export function nextStreak(rule: StreakRule, streak: Streak, isAnomaly: boolean, at: number): Streak {
  const { isOpen, coolUntil } = streak;
  const run = isAnomaly === isOpen ? 0 : streak.run + 1;
  if (isOpen && run >= rule.close_after) return closed(rule, at);
  if (!isOpen && run >= rule.open_after && at >= coolUntil) return { run: 0, isOpen: true, coolUntil: 0 };
  return { run, isOpen, coolUntil };
}

export function closed({ cooldown_seconds }: StreakRule, at: number): Streak {
  return { run: 0, isOpen: false, coolUntil: at + cooldown_seconds * 1_000 };
}
