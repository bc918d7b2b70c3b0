import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { Collection, type Counts } from "../../kit/collection.ts";
import { applying } from "../../kit/table.ts";
import { runAt } from "../../kit/workflow-run.ts";
import type { RunCreation, RunEntry } from "../runs/record.ts";
import { isOver } from "../runs/run.ts";

export const entries = new Collection<RunEntry>({
  filters: ["status", "environment", "definition_id", "mark"],
  order: "descending",
});

/** The open run that has a key of a definition. */
export const openKeyRows = rowsOf<string, readonly [definition: string, runKey: string]>("open_keys");
const endedRows = rowsOf<EndedRow, readonly [environment: string, fromMs: number]>("ended");

export interface State {
  readonly tenant: string;
  readonly counts: Counts;
  /** By environment and step of time: how many runs have ended, and how many of them failed. */
  readonly ended: Map<string, EndedRow>;
}

interface EndedRow {
  readonly environment: string;
  readonly fromMs: number;
  readonly terminals: number;
  readonly failed: number;
}

export type Event =
  | { readonly type: "started"; readonly entry: RunEntry; readonly creation: RunCreation }
  | {
      readonly type: "changed";
      readonly before: RunEntry;
      readonly after: RunEntry;
      readonly takesKey: boolean;
    }
  | { readonly type: "deleted"; readonly entry: RunEntry }
  | { readonly type: "purging"; readonly ids: readonly string[] }
  | { readonly type: "purged" };

export const resident = [entries.countsName, endedRows];

export function empty({ tenant }: Address): State {
  return { tenant, counts: new Map(), ended: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (entries.restore(state.counts, row)) return;
  if (isRowOf(row, endedRows)) state.ended.set(row.key.join("/"), row.value);
}

export const apply = applying<State, Event>({
  started(state, { entry, creation }, rows) {
    entries.put(state.counts, null, entry, rows);
    if (entry.runKey !== "") rows.put(openKeyRows, [entry.definition_id, entry.runKey], entry.id);
    const { id, definition_id, version, environment } = entry;
    rows.publish("workflow_run.pending", id, { definition_id, version }, environment);
    rows.send(runAt(state.tenant, entry.id), creation);
  },
  changed(state, { before, after, takesKey }, rows) {
    entries.put(state.counts, before, after, rows);
    const ends = isOver(after.status) && !isOver(before.status);
    if (takesKey) {
      if (ends) rows.delete(openKeyRows, [after.definition_id, after.runKey]);
      else rows.put(openKeyRows, [after.definition_id, after.runKey], after.id);
    }
    if (ends) countEnd(state, after, rows);
  },
  deleted: (state, { entry }, rows) => entries.remove(state.counts, entry, rows),
  purging(state, { ids }, rows) {
    for (const id of ids) rows.send(runAt(state.tenant, id), { type: "purge" });
    rows.setTimer("purge", rows.now + limits.purgeStepMs);
  },
  purged(state, _event, rows) {
    entries.clear(state.counts, rows);
    for (const collection of [openKeyRows, endedRows]) rows.deletePrefix(collection, []);
    state.ended.clear();
  },
});

function countEnd(state: State, { environment, status }: RunEntry, rows: RowWriter): void {
  const fromMs = rows.now - (rows.now % limits.workflowFigureMs);
  const key = [environment, fromMs] as const;
  const counted = state.ended.get(key.join("/")) ?? { environment, fromMs, terminals: 0, failed: 0 };
  const row = {
    ...counted,
    terminals: counted.terminals + 1,
    failed: counted.failed + (status === "failed" ? 1 : 0),
  };
  state.ended.set(key.join("/"), row);
  rows.put(endedRows, key, row);
  for (const [name, old] of state.ended)
    if (old.fromMs + limits.workflowFiguresMs < rows.now) {
      state.ended.delete(name);
      rows.delete(endedRows, [old.environment, old.fromMs]);
    }
}
