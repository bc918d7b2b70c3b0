import { handleOf, limits, toRfc3339 } from "#base";
import type { Analysis, Metric } from "#protos";
import type { Address } from "#runtime";
import { messageOf } from "../kit/message.ts";
import type { Message, Owned } from "../kit/record.ts";
import { type HashVersion, million } from "./hash.ts";

export type Status = "draft" | "running" | "paused" | "completed" | "stopped";

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

/** As the contract's `Metric` and `Analysis`, with their defaults. */
export type MetricRecord = Metric & Required<Pick<Metric, "role" | "direction" | "scale">>;
export type AnalysisRecord = Required<Analysis>;

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
  const { tenant, phases, control: _, group, groupStart, winner, ...shown } = record;
  return {
    ...messageOf({ ...shown, scoresCloseAt: closeAtOf(record) }),
    tenant_id: tenant,
    variants: variantMessages(record),
    coverage: record.coverage / million,
    ...(group && {
      group: {
        id: group.id,
        share: group.share / million,
        ...(groupStart !== undefined && { start: groupStart / million }),
      },
    }),
    ...(winner !== undefined && { winner: record.variants[winner]!.key }),
    phases: phases.map((phase) => phaseMessage(record, phase)),
    ...(look && {
      last_look: {
        looked_at: toRfc3339(look.at),
        breached: [...new Set(look.breached.map(({ metric }) => metric))],
        sample_ratio_mismatch: look.mismatch,
      },
    }),
  };
}

/** What an update changes, in the words of the contract. */
export function settingsMessage(record: ExperimentSettings): Message {
  const { name, description, hashVersion, salt, targeting, overrides, metrics, analysis } = record;
  const { group, coverage, scoresCloseAt } = record;
  return {
    ...messageOf({
      name,
      description,
      hashVersion,
      salt,
      targeting,
      overrides,
      metrics,
      analysis,
      scoresCloseAt,
    }),
    variants: variantMessages(record),
    coverage: coverage / million,
    ...(group && { group: { id: group.id, share: group.share / million } }),
  };
}

function variantMessages({ variants, control }: ExperimentSettings): readonly Message[] {
  return variants.map((variant, index) => ({
    ...variant,
    weight: variant.weight / million,
    control: index === control,
  }));
}

function phaseMessage({ variants }: ExperimentRecord, phase: PhaseRecord): Message {
  return {
    ...messageOf(phase),
    coverage: phase.coverage / million,
    weights: Object.fromEntries(variants.map(({ key }, index) => [key, phase.weights[index]! / million])),
  };
}
