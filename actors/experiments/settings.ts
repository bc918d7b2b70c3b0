import { type FieldError, limits, type Refusal, refuse } from "#base";
import { CelEnvironment } from "../cel/environment.ts";
import type { Message } from "../kit/record.ts";
import { million } from "./hash.ts";
import type { AnalysisRecord, ExperimentSettings, MetricRecord, VariantRecord } from "./record.ts";

/** What targeting sees. */
export const targetingCel = new CelEnvironment({ attributes: "dyn", unit_id: "string", now: "int" });

/** All settings of an experiment from what a create or an update leaves, with defaults for the rest; every problem by its field. */
export function settingsOf(given: Message, id: string): ExperimentSettings | Refusal {
  const problems: FieldError[] = [];
  const variants = variantsOf((given.variants ?? []) as readonly VariantMessage[], problems);
  const metrics = metricsOf((given.metrics ?? []) as readonly MetricMessage[], problems);
  const overrides = (given.overrides as Record<string, string> | undefined) ?? {};
  const group = given.group as { readonly id: string; readonly share: number } | undefined;
  const closeAt = given.scores_close_at as string | undefined;
  const settings: ExperimentSettings = {
    name: given.name as string,
    description: (given.description as string | undefined) ?? "",
    hashVersion: (given.hash_version as ExperimentSettings["hashVersion"] | undefined) ?? "sha256_v1",
    salt: (given.salt as string | undefined) ?? id,
    variants: variants.records,
    control: variants.control,
    coverage: millionths("coverage", (given.coverage as number | undefined) ?? 1, problems),
    targeting: (given.targeting as string | undefined) ?? "",
    ...(group && { group: { id: group.id, share: millionths("group.share", group.share, problems) } }),
    overrides,
    metrics,
    analysis: analysisOf((given.analysis as AnalysisMessage | undefined) ?? {}),
    ...(closeAt !== undefined && { scoresCloseAt: Date.parse(closeAt) }),
  };
  checkOverrides(settings, problems);
  checkTargeting(settings.targeting, problems);
  return problems.length > 0 ? invalid(problems) : settings;
}

export function invalid(fields: readonly FieldError[]): Refusal {
  const [first] = fields;
  return refuse("INVALID_ARGUMENT", `${first!.field} ${first!.reason}`, { fields });
}

interface VariantMessage {
  readonly key: string;
  readonly weight?: number;
  readonly control?: boolean;
  readonly payload?: unknown;
}

function variantsOf(
  given: readonly VariantMessage[],
  problems: FieldError[],
): { readonly records: VariantRecord[]; readonly control: number } {
  if (given.length < 2) problems.push({ field: "variants", reason: "must have at least 2" });
  const controls = given.flatMap(({ control }, index) => (control ? [index] : []));
  if (controls.length > 1)
    problems.push({ field: `variants[${controls[1]}].control`, reason: "there is one control" });
  checkUnique("variants", given, problems);
  let bytes = 0;
  const records = given.map(({ key, weight = 0, payload }, index): VariantRecord => {
    const size = payload === undefined ? 0 : Buffer.byteLength(JSON.stringify(payload));
    bytes += size;
    if (size > limits.experimentPayloadBytesMax)
      problems.push({
        field: `variants[${index}].payload`,
        reason: `is ${size} bytes as JSON, more than ${limits.experimentPayloadBytesMax}`,
      });
    return {
      key,
      weight: millionths(`variants[${index}].weight`, weight, problems),
      ...(payload !== undefined && { payload }),
    };
  });
  if (bytes > limits.experimentPayloadsBytesMax)
    problems.push({
      field: "variants",
      reason: `payloads are ${bytes} bytes in all, more than ${limits.experimentPayloadsBytesMax}`,
    });
  const sum = records.reduce((total, { weight }) => total + weight, 0);
  if (given.length > 0 && sum !== million)
    problems.push({ field: "variants", reason: `weights add up to ${sum / million}, not to 1` });
  return { records, control: controls[0] ?? 0 };
}

interface MetricMessage extends Omit<Partial<MetricRecord>, "key" | "kind" | "windowSeconds" | "onBreach"> {
  readonly key: string;
  readonly kind: MetricRecord["kind"];
  readonly window_seconds?: number;
  readonly on_breach?: "flag" | "pause";
}

function metricsOf(given: readonly MetricMessage[], problems: FieldError[]): MetricRecord[] {
  if (given.length === 0) problems.push({ field: "metrics", reason: "must have at least 1" });
  checkUnique("metrics", given, problems);
  const primary = given.filter(({ role }) => role === "primary").length;
  if (given.length > 0 && primary !== 1)
    problems.push({ field: "metrics", reason: `${primary} of them are primary, and one has to be` });
  return given.map((metric, index) => metricOf(metric, `metrics[${index}]`, problems));
}

function metricOf(metric: MetricMessage, field: string, problems: FieldError[]): MetricRecord {
  const { key, kind, role = "secondary", direction = "increase", scale = 6 } = metric;
  const { cap, window_seconds, covariate = false, margin, on_breach } = metric;
  const wrong = (member: string, reason: string) => problems.push({ field: `${field}.${member}`, reason });
  if (cap !== undefined && kind !== "sum") wrong("cap", `is for metrics that are a sum, not a ${kind}`);
  if (covariate && kind === "mean") wrong("covariate", "is not for metrics that are a mean");
  if (margin !== undefined && role !== "guardrail") wrong("margin", "is for guardrails");
  if (on_breach !== undefined && role !== "guardrail") wrong("on_breach", "is for guardrails");
  return {
    key,
    kind,
    role,
    direction,
    scale,
    ...(cap !== undefined && { cap }),
    ...(window_seconds !== undefined && { windowSeconds: window_seconds }),
    covariate,
    ...(role === "guardrail" && { margin: margin ?? 0, onBreach: on_breach ?? "flag" }),
  };
}

interface AnalysisMessage {
  readonly method?: AnalysisRecord["method"];
  readonly alpha?: number;
  readonly tuning?: number;
  readonly min_units?: number;
}

function analysisOf(given: AnalysisMessage): AnalysisRecord {
  return {
    method: given.method ?? "sequential",
    alpha: given.alpha ?? 0.05,
    tuning: given.tuning ?? 5_000,
    minUnits: given.min_units ?? 100,
  };
}

/** A share as millionths. More decimals would be lost without a word. */
function millionths(field: string, share: number, problems: FieldError[]): number {
  const rounded = Math.round(share * million);
  if (Math.abs(share * million - rounded) > 1e-6)
    problems.push({ field, reason: `${share} has more than six decimals` });
  return rounded;
}

function checkUnique(
  list: string,
  entries: readonly { readonly key: string }[],
  problems: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, { key }] of entries.entries()) {
    if (seen.has(key)) problems.push({ field: `${list}[${index}].key`, reason: `${key} is there twice` });
    seen.add(key);
  }
}

function checkOverrides({ overrides, variants }: ExperimentSettings, problems: FieldError[]): void {
  const keys = new Set(variants.map(({ key }) => key));
  const entries = Object.entries(overrides);
  if (entries.length > 100) problems.push({ field: "overrides", reason: "has more than 100 units" });
  for (const [unit, variant] of entries)
    if (!keys.has(variant))
      problems.push({
        field: `overrides[${JSON.stringify(unit)}]`,
        reason: `there is no variant ${variant}`,
      });
}

function checkTargeting(targeting: string, problems: FieldError[]): void {
  if (targeting === "") return;
  for (const { line, column, reason } of targetingCel.conditionProblems(targeting))
    problems.push({ field: "targeting", reason: `line ${line}, column ${column}: ${reason}` });
}
