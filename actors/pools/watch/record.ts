import { limits, toRfc3339 } from "#base";
import type { PreviewMonitorRequest } from "#protos";
import { rowsOf } from "#runtime";
import { type Message, type Stored, stampsOf } from "../../kit/record.ts";
import type { Rule } from "./methods/rule.ts";
import type { Bin } from "./methods/season.ts";
import type { Point, SeriesRule, Streak, StreakRule } from "./methods/series.ts";

/** In the words of the contract. */
export interface MonitorSettings extends SeriesRule, StreakRule {
  readonly scope: "pool" | "recipients";
  readonly metric: Metric;
  readonly interval_seconds: number;
  readonly pause_seconds: number;
  readonly actions: readonly Action[];
  readonly notify: Notify | null;
}

export type Metric = PreviewMonitorRequest["metric"];

type Action = "log" | "alert" | "auto-pause" | "deprioritize";

interface Notify {
  readonly workflow_key: string;
  readonly topic?: string;
  readonly subscriber_external_id?: string;
}

/** What a request says of them; what is absent gets its default. */
export type GivenSettings = Omit<
  PreviewMonitorRequest,
  "pool_id" | "values" | "start_at" | "metric" | "method"
>;

export interface Monitor extends Stored {
  readonly settings: MonitorSettings;
}

/** What is known of a monitor's past beside its points. */
export interface Progress {
  /** When it measures next. */
  readonly nextAt: number;
  /** Counts at the last measurement, and when that was; null: the next value is a gap. */
  readonly reading: Reading | null;
  /** Points so far: the next one takes the row of the one that leaves the window. */
  readonly taken: number;
  readonly lastPointAt: number;
}

export interface Reading {
  readonly at: number;
  readonly counts: readonly number[];
}

export interface Anomaly {
  readonly id: string;
  readonly monitorId: string;
  readonly recipientId: string | null;
  readonly metric: Metric;
  readonly method: Rule["method"];
  readonly value: number;
  readonly expected: number;
  readonly score: number | null;
  readonly baseline: "window" | "seasonal" | "peers";
  readonly actions: readonly ActionTaken[];
  readonly openedAt: number;
  /** 0: it is open. */
  readonly closedAt: number;
  readonly closedBy: string;
}

export interface ActionTaken {
  readonly action: Action | "notify";
  readonly result: string;
}

export const monitorRows = rowsOf<Monitor>("monitor");
export const progressRows = rowsOf<Progress>("progress");
export const pointRows = rowsOf<Point, readonly [monitorId: string, slot: number]>("point");
export const binRows = rowsOf<Bin, readonly [monitorId: string, bin: number]>("bin");
/** By recipient; of the pool: "". */
export const streakRows = rowsOf<Streak, readonly [monitorId: string, recipientId: string]>("streak");
export const anomalyRows = rowsOf<Anomaly>("anomaly");

export const anomalyKind = "anomaly";

export function stateOf({ closedAt }: Pick<Anomaly, "closedAt">): "open" | "closed" {
  return closedAt === 0 ? "open" : "closed";
}

export function keptUntil({ openedAt }: Anomaly): number {
  return openedAt + limits.anomalyKeptMs;
}

interface Owner {
  readonly poolId: string;
  readonly tenant: string;
}

export function monitorMessage(
  monitor: Monitor,
  { points, lastPointAt }: Pick<Progress, "lastPointAt"> & { readonly points: number },
  { poolId, tenant }: Owner,
): Message {
  const { notify, ...settings } = monitor.settings;
  return {
    id: monitor.id,
    pool_id: poolId,
    ...settings,
    ...(notify && { notify }),
    points,
    ...(lastPointAt > 0 && { last_point_at: toRfc3339(lastPointAt) }),
    tenant_id: tenant,
    ...stampsOf(monitor),
  };
}

export function anomalyMessage(anomaly: Anomaly, { poolId }: Pick<Owner, "poolId">): Message {
  const { id, actions, openedAt, closedAt, closedBy } = anomaly;
  return {
    id,
    ...factsOf(anomaly, poolId),
    method: anomaly.method,
    baseline: anomaly.baseline,
    state: stateOf(anomaly),
    actions,
    opened_at: toRfc3339(openedAt),
    ...(closedAt > 0 && { closed_at: toRfc3339(closedAt), closed_by: closedBy }),
  };
}

/** What its events tell. */
export function factsOf(anomaly: Anomaly, poolId: string): Message {
  const { monitorId, recipientId, metric, value, expected, score } = anomaly;
  return {
    pool_id: poolId,
    monitor_id: monitorId,
    ...(recipientId !== null && { recipient_id: recipientId }),
    metric,
    value,
    expected,
    ...(score !== null && { score }),
  };
}
