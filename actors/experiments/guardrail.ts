import type { GuardrailResult } from "#protos";
import { type Indexed, pairOf, type Trust } from "./compare.ts";
import type { MetricRecord } from "./record.ts";
import { liftOf, sequential } from "./stats/inference.ts";
import type { Cell } from "./units/sums.ts";

export interface Guardrail extends GuardrailResult {
  readonly verdict: "breached" | "safe" | "inconclusive";
}

/** Whether the lift is beyond the margin on the bad side, as the sequential interval has it: guardrails are looked at again and again. */
export function guardrailOf(
  metric: MetricRecord,
  variant: string,
  [arm, control]: readonly [Cell, Cell],
  trust: Indexed<Trust>,
): Guardrail {
  const { margin = 0, direction } = metric;
  const named = { metric: metric.key, variant, margin };
  const open = (reason: string): Guardrail => ({ ...named, verdict: "inconclusive", reason });
  const pair = pairOf(metric, arm, control, trust);
  if ("lacking" in pair) return open(pair.lacking);
  if (!trust.trustworthy) return open("the data are broken: see problems");
  const lift = liftOf(pair.treatment, pair.control);
  if (!lift) return open("the mean of the control is 0");
  const mixture = { alpha: trust.alpha, tuning: trust.analysis.tuning };
  const { lower, upper } = sequential(lift, pair.treatment.n + pair.control.n, mixture);
  // On the scale on which more is worse: of a control below 0 a positive lift is a fall.
  const upIsBad = (direction === "decrease") === pair.control.mean > 0;
  const [best, worst] = upIsBad ? [lower, upper] : [-upper, -lower];
  const found = { ...named, lower, upper };
  if (best > margin) return { ...found, verdict: "breached", reason: "the interval is beyond the margin" };
  if (worst < margin) return { ...found, verdict: "safe", reason: "the interval is inside the margin" };
  return { ...found, verdict: "inconclusive", reason: "the margin is inside the interval" };
}
