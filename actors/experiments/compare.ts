import type { Message } from "../kit/record.ts";
import type { AnalysisRecord, MetricRecord } from "./record.ts";
import {
  degreesOfFreedom,
  differenceOf,
  type Inference,
  liftOf,
  sequential,
  welch,
} from "./stats/inference.ts";
import { adjusted, type CovariateSums, momentsOf, ratioMomentsOf, type Sample } from "./stats/samples.ts";
import type { Cell } from "./units/sums.ts";

/** How figures are judged. */
export interface Trust {
  readonly analysis: AnalysisRecord;
  /** For one comparison. */
  readonly alpha: number;
  /** False: the data are broken, and nothing is concluded from them. */
  readonly trustworthy: boolean;
}

export type Indexed<Of> = Of & {
  /** Of the metric. */
  readonly index: number;
};

/** One arm of one metric against the control. */
export interface Comparison extends Compared {
  readonly variant: string;
  readonly n: number;
}

interface Compared {
  readonly sample: Sample;
  readonly difference?: Inference;
  readonly lift?: Inference;
  readonly status: "control" | "insufficient_data" | "untrustworthy" | "significant" | "not_significant";
  readonly reason: string;
}

export function compare(metric: MetricRecord, arm: Cell, control: Cell, trust: Indexed<Trust>): Compared {
  const sample = sampleOf(metric, arm, trust.index);
  if (arm === control) return { sample, status: "control", reason: "the others are compared with it" };
  const pair = pairOf(metric, arm, control, trust);
  if ("lacking" in pair) return { sample, status: "insufficient_data", reason: pair.lacking };
  if (!trust.trustworthy)
    return { sample, status: "untrustworthy", reason: "the data are broken: see problems" };
  const { difference, lift } = inferences(pair, trust);
  const significant = difference.p < trust.alpha;
  return {
    sample,
    difference,
    ...(lift && { lift }),
    status: significant ? "significant" : "not_significant",
    reason: `p = ${difference.p.toPrecision(3)} is ${significant ? "" : "not "}below ${trust.alpha}`,
  };
}

/** Treatment and control. */
export interface Pair {
  readonly treatment: Sample;
  readonly control: Sample;
}

/** Both samples, with what a covariate explains taken out; or why there is nothing to compare. */
export function pairOf(
  metric: MetricRecord,
  arm: Cell,
  control: Cell,
  { index, analysis }: Indexed<Trust>,
): Pair | { readonly lacking: string } {
  const fewest = Math.min(arm.n, control.n);
  if (fewest < analysis.min_units)
    return { lacking: `an arm has ${fewest} units, less than ${analysis.min_units}` };
  const pair = metric.covariate
    ? adjusted(covariateSums(arm, index), covariateSums(control, index), metric.scale)
    : { treatment: sampleOf(metric, arm, index), control: sampleOf(metric, control, index) };
  // Also where there is no variance because there is nothing to divide by.
  if (!(pair.treatment.variance > 0 && pair.control.variance > 0))
    return { lacking: "an arm has no variance" };
  return pair;
}

function inferences(
  { treatment, control }: Pair,
  { analysis, alpha }: Trust,
): { readonly difference: Inference; readonly lift: Inference | undefined } {
  const difference = differenceOf(treatment, control);
  const lift = liftOf(treatment, control);
  if (analysis.method === "fixed") {
    const df = degreesOfFreedom(treatment, control);
    return { difference: welch(difference, df, alpha), lift: lift && welch(lift, df, alpha) };
  }
  const n = treatment.n + control.n;
  const mixture = { alpha, tuning: analysis.tuning };
  return { difference: sequential(difference, n, mixture), lift: lift && sequential(lift, n, mixture) };
}

function sampleOf(metric: MetricRecord, { n, terms }: Cell, index: number): Sample {
  const sums = terms[index]!;
  if (metric.kind !== "mean") return momentsOf(BigInt(n), sums[0]!, sums[1]!, metric.scale);
  const [a, b, aa, ab, bb] = sums as [bigint, bigint, bigint, bigint, bigint];
  return ratioMomentsOf({ n: BigInt(n), a, b, aa, ab, bb }, metric.scale);
}

function covariateSums({ n, terms }: Cell, index: number): CovariateSums {
  const [y, yy, x, xx, xy] = terms[index]! as [bigint, bigint, bigint, bigint, bigint];
  return { n: BigInt(n), y, yy, x, xx, xy };
}

/** As the contract's `VariantResult`; `breached`: by which variants the metric is. */
export function variantMessage(comparison: Comparison, breached: ReadonlySet<string>): Message {
  const { variant, n, sample, difference, lift, status, reason } = comparison;
  return {
    variant,
    n,
    ...(Number.isFinite(sample.mean) && { mean: sample.mean }),
    ...(Number.isFinite(sample.variance) && { variance: sample.variance }),
    ...(difference && { difference: effectMessage(difference) }),
    ...(lift && { lift: effectMessage(lift) }),
    ...(breached.has(variant)
      ? { status: "breached", reason: "the lift is beyond the margin for certain" }
      : { status, reason }),
  };
}

function effectMessage({ estimate, lower, upper, p }: Inference): Message {
  return { estimate, lower, upper, p_value: p };
}
