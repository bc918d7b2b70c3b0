import { type Address, isRowOf, type RowWriter, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import { applying } from "../../kit/table.ts";
import type { WatchPoolEvent } from "../router.ts";
import { isDurable } from "./counts.ts";
import type { Bin } from "./methods/season.ts";
import { calm, type Judged, type Point, type Series, type Streak } from "./methods/series.ts";
import {
  type Anomaly,
  anomalyKind,
  anomalyRows,
  binRows,
  factsOf,
  keptUntil,
  type Monitor,
  monitorRows,
  type Progress,
  pointRows,
  progressRows,
  stateOf,
  streakRows,
} from "./record.ts";

export interface State {
  readonly tenant: string;
  readonly monitors: Map<string, Monitor>;
  readonly progress: Map<string, Progress>;
  /** By monitor: a ring as long as its window. */
  readonly slots: Map<string, Point[]>;
  readonly bins: Map<string, Map<number, Bin>>;
  /** By monitor and recipient; of the pool: "". */
  readonly streaks: Map<string, Map<string, Streak>>;
  readonly anomalies: Map<string, Anomaly>;
}

export type Event =
  /** With `progress` it begins anew. */
  | { readonly type: "monitor_put"; readonly monitor: Monitor; readonly progress?: Progress }
  | { readonly type: "monitor_removed"; readonly id: string }
  | {
      readonly type: "measured";
      readonly monitorId: string;
      readonly progress: Progress;
      readonly judged?: Pick<Judged, "point" | "bin">;
    }
  | {
      readonly type: "streak_put";
      readonly monitorId: string;
      readonly recipientId: string;
      readonly streak: Streak;
    }
  | { readonly type: "opened"; readonly anomaly: Anomaly; readonly where: Where }
  | {
      readonly type: "closed";
      readonly id: string;
      readonly by: string;
      readonly poolId: string;
    }
  | { readonly type: "forgotten"; readonly id: string }
  | { readonly type: "ticked" }
  | WatchPoolEvent;

interface Where {
  readonly poolId: string;
  readonly environment: string;
}

export const resident = [monitorRows, progressRows, pointRows, binRows, streakRows, anomalyRows];

export function empty({ tenant }: Address): State {
  return {
    tenant,
    monitors: new Map(),
    progress: new Map(),
    slots: new Map(),
    bins: new Map(),
    streaks: new Map(),
    anomalies: new Map(),
  };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, monitorRows)) state.monitors.set(row.value.id, row.value);
  else if (isRowOf(row, progressRows)) state.progress.set(row.key[0], row.value);
  else if (isRowOf(row, pointRows)) slotsOf(state, row.key[0])[row.key[1]] = row.value;
  else if (isRowOf(row, binRows)) of(state.bins, row.key[0]).set(row.key[1], row.value);
  else if (isRowOf(row, streakRows)) of(state.streaks, row.key[0]).set(row.key[1], row.value);
  else if (isRowOf(row, anomalyRows)) state.anomalies.set(row.value.id, row.value);
}

export function bytesOf({ slots, anomalies }: State): number {
  let points = 0;
  for (const ring of slots.values()) points += ring.length;
  return points * 32 + anomalies.size * 500;
}

export function seriesOf(state: State, { id, settings }: Monitor): Series {
  const ring = state.slots.get(id) ?? [];
  const oldest = state.progress.get(id)!.taken % settings.window_points;
  // What is not there is skipped: `flatMap` passes over holes.
  const points = [...ring.slice(oldest), ...ring.slice(0, oldest)].flatMap((point) => point ?? []);
  return { points, bins: state.bins.get(id) ?? new Map() };
}

export function streakOf({ streaks }: State, monitorId: string, recipientId: string): Streak {
  return streaks.get(monitorId)?.get(recipientId) ?? calm;
}

const changing = applying<State, Event>({
  monitor_put(state, { monitor, progress }, rows) {
    if (progress) {
      forgetSeries(state, monitor.id, rows);
      putProgress(state, monitor, progress, rows);
    }
    state.monitors.set(monitor.id, monitor);
    rows.put(monitorRows, [monitor.id], monitor);
  },
  monitor_removed(state, { id }, rows) {
    forgetSeries(state, id, rows);
    state.monitors.delete(id);
    rows.delete(monitorRows, [id]);
    state.progress.delete(id);
    rows.delete(progressRows, [id]);
  },
  measured(state, { monitorId, progress, judged }, rows) {
    const monitor = state.monitors.get(monitorId)!;
    if (judged) {
      const slot = (progress.taken - 1) % monitor.settings.window_points;
      slotsOf(state, monitorId)[slot] = judged.point;
      rows.put(pointRows, [monitorId, slot], judged.point);
    }
    if (judged?.bin) {
      const { number, after } = judged.bin;
      of(state.bins, monitorId).set(number, after);
      rows.put(binRows, [monitorId, number], after);
    }
    putProgress(state, monitor, progress, rows);
  },
  streak_put(state, { monitorId, recipientId, streak }, rows) {
    of(state.streaks, monitorId).set(recipientId, streak);
    rows.put(streakRows, [monitorId, recipientId], streak);
  },
  opened(state, { anomaly, where: { poolId, environment } }, rows) {
    const { id, actions } = anomaly;
    putAnomaly(state, anomaly, rows);
    const entry = { id, name: poolId, state: stateOf(anomaly), environment };
    tell(state, { type: "noted", entry }, rows);
    const facts = factsOf(anomaly, poolId);
    if (isLogged(anomaly)) rows.publish("anomaly.opened", id, facts);
    if (actions.some(({ action }) => action === "alert")) rows.publish("anomaly.alert", id, facts);
  },
  closed(state, { id, by, poolId }, rows) {
    const anomaly: Anomaly = { ...state.anomalies.get(id)!, closedAt: rows.now, closedBy: by };
    putAnomaly(state, anomaly, rows);
    tell(state, { type: "changed", id, state: stateOf(anomaly) }, rows);
    if (isLogged(anomaly)) rows.publish("anomaly.closed", id, factsOf(anomaly, poolId));
  },
  forgotten(state, { id }, rows) {
    state.anomalies.delete(id);
    rows.delete(anomalyRows, [id]);
    tell(state, { type: "deleted", id }, rows);
  },
  ticked() {},
  pool_deleted(state, _event, rows) {
    for (const id of state.anomalies.keys()) tell(state, { type: "deleted", id }, rows);
    for (const collection of resident) rows.deletePrefix(collection, []);
    Object.assign(state, empty({ kind: "watch", tenant: state.tenant, key: "" }));
  },
});

export function apply(state: State, event: Event, rows: RowWriter): void {
  changing(state, event, rows);
  const times = [...state.progress.values()].map(({ nextAt }) => nextAt);
  for (const anomaly of state.anomalies.values()) if (anomaly.closedAt > 0) times.push(keptUntil(anomaly));
  if (times.length > 0) rows.setTimer("tick", Math.max(rows.now, Math.min(...times)));
  else rows.clearTimer("tick");
}

function isLogged({ actions }: Anomaly): boolean {
  return actions.some(({ action }) => action === "log");
}

function putAnomaly(state: State, anomaly: Anomaly, rows: RowWriter): void {
  state.anomalies.set(anomaly.id, anomaly);
  rows.put(anomalyRows, [anomaly.id], anomaly);
}

/** A reading of what is counted in memory only is worth nothing after a restart. */
function putProgress(state: State, { id, settings }: Monitor, progress: Progress, rows: RowWriter): void {
  state.progress.set(id, progress);
  rows.put(progressRows, [id], isDurable(settings.metric) ? progress : { ...progress, reading: null });
}

function forgetSeries(state: State, id: string, rows: RowWriter): void {
  for (const map of [state.slots, state.bins, state.streaks]) map.delete(id);
  for (const collection of [pointRows, binRows, streakRows]) rows.deletePrefix(collection, [id]);
}

function tell({ tenant }: State, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, anomalyKind), message);
}

function slotsOf({ slots }: State, id: string): Point[] {
  const ring = slots.get(id) ?? [];
  slots.set(id, ring);
  return ring;
}

function of<Key, Value>(maps: Map<string, Map<Key, Value>>, id: string): Map<Key, Value> {
  const map = maps.get(id) ?? new Map<Key, Value>();
  maps.set(id, map);
  return map;
}
