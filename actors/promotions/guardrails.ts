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

const samplesMin = 100;

/** Where a candidate names none. */
export const defaultGuardrails: readonly Guardrail[] = [
  canary("attempt_failure", { max_increase: 0.02 }),
  canary("outcome_failure", { max_increase: 0.02 }),
  canary("dead", { max_increase: 0.02 }),
  canary("unroutable", { max_increase: 0.01 }),
  canary("condition_error", { max_increase: 0.001 }),
  canary("fault", { max: 0.001 }),
  { scope: "target", metric: "dlq_depth", max: 1_000, report_only: false },
  { scope: "target", metric: "oldest_item_age_seconds", max: 3_600, report_only: false },
];

function canary(metric: string, bounds: Pick<Guardrail, "max" | "max_increase">): Guardrail {
  return guardrailOf({ scope: "canary", metric, ...bounds });
}

/** With what a caller has left open. */
export function guardrailOf({
  min_samples,
  ...given
}: Pick<Guardrail, "scope"> & Partial<Guardrail>): Guardrail {
  const samples = given.scope === "canary" && { min_samples: min_samples ?? samplesMin };
  return { metric: "", report_only: false, ...given, ...samples };
}

/** What the contract cannot say of a guardrail. */
export function guardrailErrors(guardrails: readonly Guardrail[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const slow = new Set<number>();
  guardrails.forEach(({ scope, metric, max, max_increase, slow_ms }, index) => {
    const wrong = (name: string, reason: string) =>
      errors.push({ field: `guardrails[${index}].${name}`, reason });
    if (scope === "evidence") {
      if (metric !== "") wrong("metric", "is not for the scope evidence");
      return;
    }
    const known = scope === "target" ? (targetMetrics as readonly string[]) : Object.keys(rates);
    if (!known.includes(metric)) wrong("metric", `must be one of ${known.join(", ")}`);
    if (scope === "target" && max === undefined) wrong("max", "is required for the scope target");
    if (scope === "target" && max_increase !== undefined) wrong("max_increase", "is for the scope canary");
    if (scope === "canary" && max === undefined && max_increase === undefined)
      wrong("max", "or max_increase is required for the scope canary");
    if (scope === "canary" && max !== undefined && max > 1) wrong("max", "is a rate: at most 1");
    if (metric === "slow" && slow_ms === undefined) wrong("slow_ms", "is required for the metric slow");
    if (metric !== "slow" && slow_ms !== undefined) wrong("slow_ms", "is for the metric slow");
    if (slow_ms !== undefined) slow.add(slow_ms);
  });
  if (slow.size > 1)
    errors.push({ field: "guardrails", reason: "have two values of slow_ms: one is counted" });
  return errors;
}

export function slowMsOf(guardrails: readonly Guardrail[]): number {
  return guardrails.find(({ slow_ms }) => slow_ms !== undefined)?.slow_ms ?? Number.MAX_SAFE_INTEGER;
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
  const verdict = worstOf(results.filter(({ report_only }) => !report_only))?.verdict ?? "pass";
  const found = { number, at, trigger, verdict, results };
  return { ...found, digest: digestOf(found) };
}

const severity: readonly Verdict[] = ["pass", "inconclusive", "fail"];

/** The first of the worst. */
function worstOf<Judged extends Pick<Result, "verdict">>(judged: readonly Judged[]): Judged | undefined {
  const worst = Math.max(...judged.map(({ verdict }) => severity.indexOf(verdict)));
  return judged.find(({ verdict }) => severity.indexOf(verdict) === worst);
}

/** Of the target where it is worst. */
function resultOf(guardrail: Guardrail, { figures, gate }: Known, z: number): Result {
  const { scope, metric, report_only } = guardrail;
  const named = { scope, metric, report_only };
  if (scope === "evidence") {
    const verdict = gate?.satisfied ? "pass" : "fail";
    return { ...named, verdict, detail: gate?.detail ?? "no evidence pack is attached" };
  }
  const results = [...figures].map(([target_id, figure]): Result => {
    const found = scope === "target" ? ofTarget(guardrail, figure) : ofCanary(guardrail, figure.counts, z);
    return { ...named, target_id, ...found };
  });
  return worstOf(results) ?? { ...named, verdict: "inconclusive", detail: "no target told figures" };
}

type Found = Omit<Result, "scope" | "metric" | "report_only" | "target_id">;

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
  { max, max_increase, min_samples = samplesMin }: Pick<Guardrail, "max" | "max_increase" | "min_samples">,
  canary: Sample,
  stable: Sample,
  z: number,
): Found {
  if (canary.samples < min_samples)
    return { verdict: "inconclusive", detail: `${canary.samples} samples, at least ${min_samples}` };
  const findings: Found[] = [];
  if (max !== undefined) {
    const { low, high } = wilson(canary, z);
    findings.push({ ...against(low, high, max), value: canary.count / canary.samples, low, high });
  }
  if (max_increase !== undefined && stable.samples === 0)
    findings.push({ verdict: "inconclusive", detail: "the rest has no samples" });
  else if (max_increase !== undefined) {
    const { low, high } = newcombe(canary, stable, z);
    const value = canary.count / canary.samples - stable.count / stable.samples;
    findings.push({ ...against(low, high, max_increase), value, low, high });
  }
  return worstOf(findings)!;
}

function against(low: number, high: number, bound: number): Pick<Found, "verdict" | "detail"> {
  if (low > bound) return { verdict: "fail", detail: `surely above ${bound}` };
  if (high <= bound) return { verdict: "pass", detail: `surely not above ${bound}` };
  return { verdict: "inconclusive", detail: `may be above ${bound}` };
}
