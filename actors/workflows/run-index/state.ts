import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { Collection, type Counts } from "../../kit/collection.ts";
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

export interface IndexState {
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

export type IndexEvent =
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

export const indexResident = [entries.countsName, endedRows];

export function emptyIndex({ tenant }: Address): IndexState {
  return { tenant, counts: new Map(), ended: new Map() };
}

export function restoreIndex(state: IndexState, row: StoredRow): void {
  if (entries.restore(state.counts, row)) return;
  if (isRowOf(row, endedRows)) state.ended.set(row.key.join("/"), row.value);
}

export function applyIndex(state: IndexState, event: IndexEvent, rows: RowWriter): void {
  switch (event.type) {
    case "started": {
      const { entry, creation } = event;
      entries.put(state.counts, null, entry, rows);
      if (entry.runKey !== "") rows.put(openKeyRows, [entry.definition_id, entry.runKey], entry.id);
      rows.publish("workflow_run.pending", entry.id, {
        definition_id: entry.definition_id,
        version: entry.version,
      });
      rows.send(runAt(state.tenant, entry.id), creation);
      return;
    }
    case "changed":
      changed(state, event, rows);
      return;
    case "deleted":
      entries.remove(state.counts, event.entry, rows);
      return;
    case "purging":
      for (const id of event.ids) rows.send(runAt(state.tenant, id), { type: "purge" });
      rows.setTimer("purge", rows.now + limits.purgeStepMs);
      return;
    case "purged":
      entries.clear(state.counts, rows);
      for (const collection of [openKeyRows, endedRows]) rows.deletePrefix(collection, []);
      state.ended.clear();
      return;
  }
}

function changed(
  state: IndexState,
  { before, after, takesKey }: Extract<IndexEvent, { type: "changed" }>,
  rows: RowWriter,
): void {
  entries.put(state.counts, before, after, rows);
  const ends = isOver(after.status) && !isOver(before.status);
  if (takesKey) {
    if (ends) rows.delete(openKeyRows, [after.definition_id, after.runKey]);
    else rows.put(openKeyRows, [after.definition_id, after.runKey], after.id);
  }
  if (ends) countEnd(state, after, rows);
}

function countEnd(state: IndexState, { environment, status }: RunEntry, rows: RowWriter): void {
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
