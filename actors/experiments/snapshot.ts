import { limits } from "#base";
import type { HashVersion } from "./hash.ts";
import {
  closeAtOf,
  type ExperimentRecord,
  firstPhaseOf,
  isOver,
  type MetricRecord,
  type Status,
} from "./record.ts";
import { quantityOf } from "./stats/integers.ts";

/** What the unit shards know of their experiment. The metrics of one that has started never change. */
export interface Snapshot {
  readonly id: string;
  /** That of the record. */
  readonly version: number;
  readonly environment: string;
  readonly status: Exclude<Status, "draft">;
  readonly hashVersion: HashVersion;
  readonly salt: string;
  readonly variants: readonly { readonly key: string; readonly payload?: unknown }[];
  readonly weights: readonly number[];
  readonly control: number;
  readonly coverage: number;
  readonly targeting: string;
  readonly group?: { readonly id: string; readonly start: number; readonly share: number };
  readonly overrides: Readonly<Record<string, string>>;
  readonly metrics: readonly UnitMetric[];
  readonly phase: number;
  /** Units of phases before this one are excluded. */
  readonly firstPhase: number;
  readonly winner?: number;
  readonly closeAt?: number;
}

/** How scores of a metric are folded into its unit's value. */
export interface UnitMetric {
  readonly key: string;
  readonly kind: MetricRecord["kind"];
  readonly scale: number;
  /** As a quantity of the metric. */
  readonly cap?: string;
  readonly windowMs?: number;
  readonly covariate: boolean;
}

/** From an experiment to its unit shards, before the change is answered. */
export type ShardMessage =
  | {
      readonly type: "changed";
      /** A shard with an older snapshot answers no question before it has this one or a later one. */
      readonly version: number;
      /** When units are forgotten; absent: it has not ended. */
      readonly forgetAt?: number;
    }
  | { readonly type: "deleted" };

export function snapshotOf(record: ExperimentRecord): Snapshot {
  const { group, groupStart, winner } = record;
  const closeAt = closeAtOf(record);
  return {
    id: record.id,
    version: record.recordVersion,
    environment: record.environment,
    status: record.status as Snapshot["status"],
    hashVersion: record.hashVersion,
    salt: record.salt,
    variants: record.variants.map(({ key, payload }) => ({ key, ...(payload !== undefined && { payload }) })),
    weights: record.variants.map(({ weight }) => weight),
    control: record.control,
    coverage: record.coverage,
    targeting: record.targeting,
    ...(group &&
      groupStart !== undefined && { group: { id: group.id, start: groupStart, share: group.share } }),
    overrides: record.overrides,
    metrics: record.metrics.map(({ key, kind, scale, cap, window_seconds, covariate }) => ({
      key,
      kind,
      scale,
      ...(cap !== undefined && { cap: String(quantityOf(cap, scale)) }),
      ...(window_seconds !== undefined && { windowMs: window_seconds * 1_000 }),
      covariate,
    })),
    phase: record.phases.length,
    firstPhase: firstPhaseOf(record.phases),
    ...(winner !== undefined && { winner }),
    ...(closeAt !== undefined && { closeAt }),
  };
}

export function changedMessage(record: ExperimentRecord): ShardMessage {
  const closeAt = closeAtOf(record);
  const forgets = isOver(record) && closeAt !== undefined;
  return {
    type: "changed",
    version: record.recordVersion,
    ...(forgets && { forgetAt: Math.max(closeAt, record.endedAt!) + limits.experimentUnitsKeptMs }),
  };
}
