import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applyRecord, type RecordEvent } from "../kit/state.ts";
import { applying } from "../kit/table.ts";
import { type Active, type Report, reportResource, type State } from "./record.ts";

export type Event =
  | RecordEvent<Report>
  | { readonly type: "began"; readonly active: Active; readonly sandbox: boolean }
  | { readonly type: "ended"; readonly active: Active; readonly sandbox: boolean };

export const purgeEffect = "conformance_sandbox";
const activeRows = rowsOf<Active>("active");
export const resident = [activeRows, reportResource.store.resident];

export function empty({ tenant }: Address): State {
  return { tenant, records: new Map(), active: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, activeRows)) state.active.set(row.key[0], row.value);
  else reportResource.store.restore(state.records, row);
}

export const apply = applying<State, Event>({
  began(state, { active, sandbox }, rows) {
    state.active.set(active.node, active);
    rows.put(activeRows, [active.node], active);
    if (sandbox) askToPurge(active, active.untilMs, rows);
  },
  ended(state, { active, sandbox }, rows) {
    state.active.delete(active.node);
    rows.delete(activeRows, [active.node]);
    if (sandbox) askToPurge(active, rows.now, rows);
  },
  record_changed: (state, event, rows) => applyRecord(reportResource, state, event, rows),
  purged(state, event, rows) {
    applyRecord(reportResource, state, event, rows);
    rows.deletePrefix(activeRows, []);
    state.active.clear();
  },
});

/** Its sandbox tenant goes when the run has ended, and in any case when its time is over: the effect outlives a crash of the run. */
function askToPurge({ runId, environment }: Active, dueMs: number, rows: RowWriter): void {
  rows.effect(runId, { kind: purgeEffect, dueMs, body: { runId, environment } });
}
