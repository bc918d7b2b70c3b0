import { handleOf, limits, toRfc3339 } from "#base";
import type { Address } from "#runtime";
import { type Message, type Owned, stampsOf } from "../kit/record.ts";
import { type HashVersion, million } from "./hash.ts";

export type Status = "draft" | "running" | "paused" | "completed" | "stopped";
export type MetricKind = "binary" | "sum" | "count" | "mean";

/** One experiment as its entity keeps it. Weights, coverage and shares are in millionths. */
export interface ExperimentRecord extends Owned, ExperimentSettings {
  readonly key: string;
  readonly status: Status;
  readonly phases: readonly PhaseRecord[];
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Index of a variant. */
  readonly winner?: number;
  readonly stopReason?: string;
  /** Where its range in the group begins. */
  readonly groupStart?: number;
}

/** What callers set. */
export interface ExperimentSettings {
  readonly name: string;
  readonly description: string;
  readonly hashVersion: HashVersion;
  readonly salt: string;
  readonly variants: readonly VariantRecord[];
  /** Index of a variant. */
  readonly control: number;
  readonly coverage: number;
  readonly targeting: string;
  readonly group?: { readonly id: string; readonly share: number };
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricRecord[];
  readonly analysis: AnalysisRecord;
  readonly scoresCloseAt?: number;
}

export interface VariantRecord {
  readonly key: string;
  readonly weight: number;
  readonly payload?: unknown;
}

export interface MetricRecord {
  readonly key: string;
  readonly kind: MetricKind;
  readonly role: "primary" | "secondary" | "guardrail";
  readonly direction: "increase" | "decrease";
  readonly scale: number;
  readonly cap?: number;
  readonly windowSeconds?: number;
  readonly covariate: boolean;
  readonly margin?: number;
  readonly onBreach?: "flag" | "pause";
}

export interface AnalysisRecord {
  readonly method: "sequential" | "fixed";
  readonly alpha: number;
  readonly tuning: number;
  readonly minUnits: number;
}

export interface PhaseRecord {
  readonly number: number;
  readonly openedAt: number;
  readonly coverage: number;
  readonly weights: readonly number[];
  readonly targeting: string;
  readonly carry: "" | "keep" | "exclude";
}

/** The last time the figures were looked at by timer. */
export interface LookRecord {
  readonly at: number;
  readonly breached: readonly Breach[];
  readonly mismatch: boolean;
}

export interface Breach {
  readonly metric: string;
  readonly variant: string;
}

/** From the directory to the entity. */
export interface ExperimentCreation {
  readonly type: "create";
  readonly record: ExperimentRecord;
}

export function experimentAddress(tenant: string, id: string): Address {
  return { kind: "experiment", tenant, key: handleOf(id) };
}

export function unitsAddress(tenant: string, id: string, shard: number): Address {
  return { kind: "experiment_units", tenant, key: unitsKey(id, shard) };
}

export function unitsKey(id: string, shard: number): string {
  return `${handleOf(id)}.${shard}`;
}

export function groupAddress(tenant: string, id: string): Address {
  return { kind: "experiment_group", tenant, key: handleOf(id) };
}

export function isOver({ status }: Pick<ExperimentRecord, "status">): boolean {
  return status === "completed" || status === "stopped";
}

/** What a phase that opens now has. */
export function phaseOf(
  { variants, coverage, targeting }: Pick<ExperimentRecord, "variants" | "coverage" | "targeting">,
  opened: Pick<PhaseRecord, "number" | "openedAt" | "carry">,
): PhaseRecord {
  return { ...opened, coverage, targeting, weights: variants.map(({ weight }) => weight) };
}

/** Units of phases before this one are excluded. */
export function firstPhaseOf(phases: readonly PhaseRecord[]): number {
  return phases.findLast(({ carry }) => carry === "exclude")?.number ?? 1;
}

/** Until when scores are taken; `undefined`: it has not ended, and nothing was set. */
export function closeAtOf({ scoresCloseAt, endedAt }: ExperimentRecord): number | undefined {
  return scoresCloseAt ?? (endedAt === undefined ? undefined : endedAt + limits.experimentScoresOpenMs);
}

/** As the contract's `Experiment`. */
export function experimentMessage(record: ExperimentRecord, look: LookRecord | undefined): Message {
  const { group, groupStart, winner, stopReason, startedAt, endedAt } = record;
  const closeAt = closeAtOf(record);
  return {
    id: record.id,
    key: record.key,
    tenant_id: record.tenant,
    environment: record.environment,
    status: record.status,
    ...settingsMessage(record),
    ...(group && {
      group: {
        id: group.id,
        share: group.share / million,
        ...(groupStart !== undefined && { start: groupStart / million }),
      },
    }),
    ...(closeAt !== undefined && { scores_close_at: toRfc3339(closeAt) }),
    ...(winner !== undefined && { winner: record.variants[winner]!.key }),
    ...(stopReason !== undefined && { stop_reason: stopReason }),
    phases: record.phases.map((phase) => phaseMessage(record, phase)),
    ...(startedAt !== undefined && { started_at: toRfc3339(startedAt) }),
    ...(endedAt !== undefined && { ended_at: toRfc3339(endedAt) }),
    ...(look && {
      last_look: {
        looked_at: toRfc3339(look.at),
        breached: [...new Set(look.breached.map(({ metric }) => metric))],
        sample_ratio_mismatch: look.mismatch,
      },
    }),
    ...stampsOf(record),
  };
}

/** What an update changes, in the words of the contract. */
export function settingsMessage(record: ExperimentSettings): Message {
  const { group, scoresCloseAt, analysis } = record;
  return {
    name: record.name,
    description: record.description,
    hash_version: record.hashVersion,
    salt: record.salt,
    variants: record.variants.map(({ key, weight, payload }, index) => ({
      key,
      weight: weight / million,
      control: index === record.control,
      ...(payload !== undefined && { payload }),
    })),
    coverage: record.coverage / million,
    targeting: record.targeting,
    ...(group && { group: { id: group.id, share: group.share / million } }),
    overrides: record.overrides,
    metrics: record.metrics.map(metricMessage),
    analysis: {
      method: analysis.method,
      alpha: analysis.alpha,
      tuning: analysis.tuning,
      min_units: analysis.minUnits,
    },
    ...(scoresCloseAt !== undefined && { scores_close_at: toRfc3339(scoresCloseAt) }),
  };
}

function metricMessage(metric: MetricRecord): Message {
  const { cap, windowSeconds, margin, onBreach } = metric;
  return {
    key: metric.key,
    kind: metric.kind,
    role: metric.role,
    direction: metric.direction,
    scale: metric.scale,
    ...(cap !== undefined && { cap }),
    ...(windowSeconds !== undefined && { window_seconds: windowSeconds }),
    covariate: metric.covariate,
    ...(margin !== undefined && { margin }),
    ...(onBreach !== undefined && { on_breach: onBreach }),
  };
}

function phaseMessage({ variants }: ExperimentRecord, phase: PhaseRecord): Message {
  return {
    number: phase.number,
    opened_at: toRfc3339(phase.openedAt),
    coverage: phase.coverage / million,
    weights: Object.fromEntries(variants.map(({ key }, index) => [key, phase.weights[index]! / million])),
    targeting: phase.targeting,
    carry: phase.carry,
  };
}
