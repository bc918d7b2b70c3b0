import { type FieldError, invalid, limits, type Refusal } from "#base";
import type { CreateExperimentRequest, Metric, Variant } from "#protos";
import { CelEnvironment } from "../cel/environment.ts";
import { million } from "./hash.ts";
import type { ExperimentSettings, MetricRecord, VariantRecord } from "./record.ts";

/** What targeting sees. */
export const targetingCel = new CelEnvironment({ attributes: "dyn", unit_id: "string", now: "int" });

/** All settings of an experiment from what a create or an update leaves, with defaults for the rest; every problem by its field. */
export function settingsOf(
  given: Omit<CreateExperimentRequest, "key">,
  id: string,
): ExperimentSettings | Refusal {
  const { name, description = "", hash_version = "sha256_v1", salt = id, targeting = "" } = given;
  const { overrides = {}, group, scores_close_at: closeAt } = given;
  const problems: FieldError[] = [];
  const variants = variantsOf(given.variants ?? [], problems);
  const metrics = metricsOf(given.metrics ?? [], problems);
  const settings: ExperimentSettings = {
    name,
    description,
    hashVersion: hash_version,
    salt,
    variants: variants.records,
    control: variants.control,
    coverage: millionths("coverage", given.coverage ?? 1, problems),
    targeting,
    ...(group && { group: { id: group.id, share: millionths("group.share", group.share, problems) } }),
    overrides,
    metrics,
    analysis: { method: "sequential", alpha: 0.05, tuning: 5_000, min_units: 100, ...given.analysis },
    ...(closeAt !== undefined && { scoresCloseAt: Date.parse(closeAt) }),
  };
  checkOverrides(settings, problems);
  checkTargeting(settings.targeting, problems);
  return problems.length > 0 ? invalid(...problems) : settings;
}

function variantsOf(
  given: readonly Variant[],
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

function metricsOf(given: readonly Metric[], problems: FieldError[]): MetricRecord[] {
  if (given.length === 0) problems.push({ field: "metrics", reason: "must have at least 1" });
  checkUnique("metrics", given, problems);
  const primary = given.filter(({ role }) => role === "primary").length;
  if (given.length > 0 && primary !== 1)
    problems.push({ field: "metrics", reason: `${primary} of them are primary, and one has to be` });
  return given.map((metric, index) => metricOf(metric, `metrics[${index}]`, problems));
}

function metricOf(metric: Metric, field: string, problems: FieldError[]): MetricRecord {
  const { kind, role = "secondary", cap, covariate = false, margin, on_breach } = metric;
  const wrong = (member: string, reason: string) => problems.push({ field: `${field}.${member}`, reason });
  if (cap !== undefined && kind !== "sum") wrong("cap", `is for metrics that are a sum, not a ${kind}`);
  if (covariate && kind === "mean") wrong("covariate", "is not for metrics that are a mean");
  if (margin !== undefined && role !== "guardrail") wrong("margin", "is for guardrails");
  if (on_breach !== undefined && role !== "guardrail") wrong("on_breach", "is for guardrails");
  const guard = role === "guardrail" && { margin: margin ?? 0, on_breach: on_breach ?? "flag" };
  return { direction: "increase", scale: 6, ...metric, role, covariate, ...guard };
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
