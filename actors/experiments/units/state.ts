import { limits } from "#base";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../../kit/table.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Cell, countUnit, emptyCell, readCell, type StoredCell, storedCell } from "./sums.ts";
import type { Integer, Unit } from "./unit.ts";

export interface State {
  /** The least version of a snapshot that may answer. */
  required: number;
  snapshot: Snapshot | undefined;
  /** By phase and variant. */
  cells: Map<string, Cell>;
  /** Units by phase, variant and day. */
  days: Map<string, Day>;
  /** As they are stored: units that were written last, which are most of those that are asked for again. */
  recent: Map<string, Unit>;
  /** Changed in this commit; `beforeCommit` writes them once. */
  changedCells: Set<Cell>;
  changedDays: Set<Day>;
}

interface Day {
  readonly phase: number;
  readonly variant: number;
  /** Since the epoch, UTC. */
  readonly day: number;
  units: number;
}

export interface StoredScore {
  /** Index of the metric. */
  readonly metric: number;
  readonly quantity: Integer;
  readonly occurredAt: number;
  /** Whether its sender said when it occurred: a repeat has to say the same. */
  readonly dated: boolean;
  readonly eligible: boolean;
}

export type Event =
  | { readonly type: "changed"; readonly version: number; readonly forgetAt?: number }
  | { readonly type: "installed"; readonly snapshot: Snapshot }
  | { readonly type: "put"; readonly key: string; readonly before: Unit | null; readonly after: Unit }
  | { readonly type: "scored"; readonly key: string; readonly scoreId: string; readonly score: StoredScore }
  | { readonly type: "removed"; readonly key: string; readonly unit: Unit }
  | { readonly type: "forgotten" }
  | { readonly type: "deleted" };

export const requiredRows = rowsOf<number, readonly []>("required");
export const snapshotRows = rowsOf<Snapshot, readonly []>("snapshot");
export const sumRows = rowsOf<StoredCell, readonly [phase: number, variant: number]>("sums");
export const dayRows = rowsOf<Day, readonly [phase: number, variant: number, day: number]>("days");
export const unitRows = rowsOf<Unit>("units");
export const scoreRows = rowsOf<StoredScore, readonly [unit: string, score: string]>("scores");

export function empty(): State {
  return {
    required: 0,
    snapshot: undefined,
    cells: new Map(),
    days: new Map(),
    recent: new Map(),
    changedCells: new Set(),
    changedDays: new Set(),
  };
}

/** Sums are integers of some dozen digits. */
export function bytesOf({ snapshot, cells, days, recent }: State): number {
  const metrics = snapshot?.metrics.length ?? 0;
  return cells.size * (200 + metrics * 300) + days.size * 150 + recent.size * (200 + metrics * 50);
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, requiredRows)) state.required = row.value;
  else if (isRowOf(row, snapshotRows)) state.snapshot = row.value;
  else if (isRowOf(row, sumRows)) {
    const cell = readCell(row.value);
    state.cells.set(cellKey(cell), cell);
  } else if (isRowOf(row, dayRows)) {
    const day = { ...row.value };
    state.days.set(dayKey(day), day);
  }
}

export const apply = applying<State, Event>({
  changed(state, { version, forgetAt }, rows) {
    state.required = version;
    rows.put(requiredRows, [], version);
    if (forgetAt === undefined) rows.clearTimer("forget");
    else rows.setTimer("forget", forgetAt);
  },
  installed(state, { snapshot }, rows) {
    state.snapshot = snapshot;
    rows.put(snapshotRows, [], snapshot);
  },
  put(state, { before, after, key }, rows) {
    // A unit that was there keeps its day.
    if (before) countCell(state, before, -1);
    else countDay(state, after, 1);
    countCell(state, after, 1);
    rows.put(unitRows, [key], after);
    remember(state.recent, key, after);
  },
  scored: (_state, { key, scoreId, score }, rows) => rows.put(scoreRows, [key, scoreId], score),
  removed(state, { unit, key }, rows) {
    countCell(state, unit, -1);
    countDay(state, unit, -1);
    rows.delete(unitRows, [key]);
    state.recent.delete(key);
    rows.deletePrefix(scoreRows, [key]);
  },
  forgotten(state, _event, rows) {
    for (const collection of [unitRows, scoreRows]) rows.deletePrefix(collection, []);
    state.recent.clear();
  },
  deleted(state, _event, rows) {
    for (const collection of [requiredRows, snapshotRows, sumRows, dayRows, unitRows, scoreRows])
      rows.deletePrefix(collection, []);
    rows.clearTimer("forget");
    Object.assign(state, empty());
  },
});

export function beforeCommit(state: State, rows: RowWriter): void {
  for (const cell of state.changedCells) rows.put(sumRows, [cell.phase, cell.variant], storedCell(cell));
  state.changedCells.clear();
  for (const day of state.changedDays) {
    const key = [day.phase, day.variant, day.day] as const;
    if (day.units > 0) rows.put(dayRows, key, { ...day });
    else {
      rows.delete(dayRows, key);
      state.days.delete(dayKey(day));
    }
  }
  state.changedDays.clear();
}

/** Takes a unit into the sums, or out of them. */
function countCell(state: State, unit: Unit, sign: 1 | -1): void {
  const { metrics } = state.snapshot!;
  const cell = state.cells.get(cellKey(unit)) ?? emptyCell(unit.phase, unit.variant, metrics);
  state.cells.set(cellKey(unit), cell);
  countUnit(cell, unit, sign, metrics);
  state.changedCells.add(cell);
}

function countDay(state: State, { phase, variant, exposedAt }: Unit, sign: 1 | -1): void {
  const made: Day = { phase, variant, day: Math.floor(exposedAt / dayMs), units: 0 };
  const day = state.days.get(dayKey(made)) ?? made;
  state.days.set(dayKey(day), day);
  day.units += sign;
  state.changedDays.add(day);
}

/** The one that was written longest ago makes room. */
function remember(recent: Map<string, Unit>, key: string, unit: Unit): void {
  recent.delete(key);
  recent.set(key, unit);
  if (recent.size > limits.experimentUnitsRecent) recent.delete(recent.keys().next().value!);
}

export const dayMs = 86_400_000;

function cellKey({ phase, variant }: { readonly phase: number; readonly variant: number }): string {
  return `${phase}.${variant}`;
}

function dayKey({ phase, variant, day }: Day): string {
  return `${phase}.${variant}.${day}`;
}
