import { digestOf, type FieldError } from "#base";
import type { TargetFigures } from "../kit/activation.ts";
import { type CanaryCounts, type Measure, measures } from "../kit/canary.ts";
import { newcombe, type Sample, wilson } from "./intervals.ts";
import type { Check, Guardrail, Result, Verdict } from "./record.ts";

const targetMetrics = ["queue_depth", "oldest_item_age_seconds", "dlq_depth", "ejected_percent"] as const;
type TargetMetric = (typeof targetMetrics)[number];

/** What each rate is counted over. */
const rates: Readonly<Record<string, Measure>> = {
  unroutable: "decisions",
  rejected: "decisions",
  redirected: "decisions",
  condition_error: "decisions",
  fault: "decisions",
  attempt_failure: "attempts",
  dead: "ended",
  outcome_failure: "outcomes",
  slow: "timed",
};

const minSamples = 100;

/** Where a candidate names none. */
export const defaultGuardrails: readonly Guardrail[] = [
  canary("attempt_failure", { maxIncrease: 0.02 }),
  canary("outcome_failure", { maxIncrease: 0.02 }),
  canary("dead", { maxIncrease: 0.02 }),
  canary("unroutable", { maxIncrease: 0.01 }),
  canary("condition_error", { maxIncrease: 0.001 }),
  canary("fault", { max: 0.001 }),
  { scope: "target", metric: "dlq_depth", max: 1_000, minSamples, reportOnly: false },
  { scope: "target", metric: "oldest_item_age_seconds", max: 3_600, minSamples, reportOnly: false },
];

function canary(metric: string, bounds: Pick<Guardrail, "max" | "maxIncrease">): Guardrail {
  return { scope: "canary", metric, ...bounds, minSamples, reportOnly: false };
}

/** What the contract cannot say of a guardrail. */
export function guardrailErrors(guardrails: readonly Guardrail[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const slow = new Set<number>();
  guardrails.forEach(({ scope, metric, max, maxIncrease, slowMs }, index) => {
    const wrong = (name: string, reason: string) =>
      errors.push({ field: `guardrails[${index}].${name}`, reason });
    if (scope === "evidence") {
      if (metric !== "") wrong("metric", "is not for the scope evidence");
      return;
    }
    const known = scope === "target" ? (targetMetrics as readonly string[]) : Object.keys(rates);
    if (!known.includes(metric)) wrong("metric", `must be one of ${known.join(", ")}`);
    if (scope === "target" && max === undefined) wrong("max", "is required for the scope target");
    if (scope === "target" && maxIncrease !== undefined) wrong("max_increase", "is for the scope canary");
    if (scope === "canary" && max === undefined && maxIncrease === undefined)
      wrong("max", "or max_increase is required for the scope canary");
    if (scope === "canary" && max !== undefined && max > 1) wrong("max", "is a rate: at most 1");
    if (metric === "slow" && slowMs === undefined) wrong("slow_ms", "is required for the metric slow");
    if (metric !== "slow" && slowMs !== undefined) wrong("slow_ms", "is for the metric slow");
    if (slowMs !== undefined) slow.add(slowMs);
  });
  if (slow.size > 1)
    errors.push({ field: "guardrails", reason: "have two values of slow_ms: one is counted" });
  return errors;
}

export function slowMsOf(guardrails: readonly Guardrail[]): number {
  return guardrails.find(({ slowMs }) => slowMs !== undefined)?.slowMs ?? Number.MAX_SAFE_INTEGER;
}

/** What is known when guardrails are evaluated. */
export interface Known {
  readonly figures: ReadonlyMap<string, TargetFigures>;
  /** Whether the gate of the evidence pack is satisfied; absent: no pack was asked. */
  readonly gate?: { readonly satisfied: boolean; readonly detail: string };
  /** Before the canary has begun there is nothing to compare. */
  readonly withCanary: boolean;
}

/** Of looks by timer: there are some hundred, and few may stop a canary for nothing. */
export const lookZ = 3.29;
export const askedZ = 1.96;

export function evaluate(
  guardrails: readonly Guardrail[],
  known: Known,
  { number, at, trigger }: Pick<Check, "number" | "at" | "trigger">,
): Check {
  const z = trigger === "look" ? lookZ : askedZ;
  const results = guardrails
    .filter(({ scope }) => scope !== "canary" || known.withCanary)
    .map((guardrail) => resultOf(guardrail, known, z));
  const verdict = worst(results.filter(({ reportOnly }) => !reportOnly).map((result) => result.verdict));
  return {
    number,
    at,
    trigger,
    verdict,
    results,
    digest: digestOf({ number, at, trigger, verdict, results }),
  };
}

const severity: readonly Verdict[] = ["pass", "inconclusive", "fail"];

function worst(verdicts: readonly Verdict[]): Verdict {
  return severity[Math.max(0, ...verdicts.map((verdict) => severity.indexOf(verdict)))]!;
}

/** Of the target where it is worst. */
function resultOf(guardrail: Guardrail, { figures, gate }: Known, z: number): Result {
  const { scope, metric, reportOnly } = guardrail;
  if (scope === "evidence") {
    const verdict = gate?.satisfied ? "pass" : "fail";
    return { scope, metric, reportOnly, verdict, detail: gate?.detail ?? "no evidence pack is attached" };
  }
  const results = [...figures].map(([targetId, figure]): Result => {
    const found = scope === "target" ? ofTarget(guardrail, figure) : ofCanary(guardrail, figure.counts, z);
    return { scope, metric, reportOnly, targetId, ...found };
  });
  const verdict = worst(results.map((result) => result.verdict));
  const missing: Result = {
    scope,
    metric,
    reportOnly,
    verdict: "inconclusive",
    detail: "no target told figures",
  };
  return results.find((result) => result.verdict === verdict) ?? missing;
}

type Found = Omit<Result, "scope" | "metric" | "reportOnly" | "targetId">;

function ofTarget({ metric, max = 0 }: Guardrail, figures: TargetFigures): Found {
  const value = figures[metric as TargetMetric];
  return { verdict: value <= max ? "pass" : "fail", value, detail: `${value}, at most ${max}` };
}

function ofCanary(guardrail: Guardrail, counts: CanaryCounts | undefined, z: number): Found {
  if (counts === undefined) return { verdict: "inconclusive", detail: "nothing was counted" };
  const canary = sampleOf(counts.canary, guardrail.metric);
  const stable = sampleOf(counts.stable, guardrail.metric);
  return { ...judge(guardrail, canary, stable, z), canary, stable };
}

function sampleOf(counts: readonly number[], metric: string): Sample {
  return {
    count: counts[measures.indexOf(metric as Measure)]!,
    samples: counts[measures.indexOf(rates[metric]!)]!,
  };
}

/** `max` by Wilson's interval of the canary's rate, `max_increase` by Newcombe's of the difference; the worst counts. */
export function judge(
  { max, maxIncrease, minSamples }: Pick<Guardrail, "max" | "maxIncrease" | "minSamples">,
  canary: Sample,
  stable: Sample,
  z: number,
): Found {
  if (canary.samples < minSamples)
    return { verdict: "inconclusive", detail: `${canary.samples} samples, at least ${minSamples}` };
  const findings: Found[] = [];
  if (max !== undefined) {
    const { low, high } = wilson(canary, z);
    findings.push({ ...against(low, high, max), value: canary.count / canary.samples, low, high });
  }
  if (maxIncrease !== undefined && stable.samples === 0)
    findings.push({ verdict: "inconclusive", detail: "the rest has no samples" });
  else if (maxIncrease !== undefined) {
    const { low, high } = newcombe(canary, stable, z);
    const value = canary.count / canary.samples - stable.count / stable.samples;
    findings.push({ ...against(low, high, maxIncrease), value, low, high });
  }
  const verdict = worst(findings.map((finding) => finding.verdict));
  return findings.find((finding) => finding.verdict === verdict)!;
}

function against(low: number, high: number, bound: number): Pick<Found, "verdict" | "detail"> {
  if (low > bound) return { verdict: "fail", detail: `surely above ${bound}` };
  if (high <= bound) return { verdict: "pass", detail: `surely not above ${bound}` };
  return { verdict: "inconclusive", detail: `may be above ${bound}` };
}
