import { type Address, isRowOf, rowsOf, type StoredRow } from "#runtime";
import { applyRecord, type RecordEvent } from "../kit/state.ts";
import { applying } from "../kit/table.ts";
import type { Channel } from "../notify/outbound/types.ts";
import { type Layout, layoutResource, type OwnEvent, type State, usageRows } from "./record.ts";

export type Event = RecordEvent<Layout> | OwnEvent;

const defaultRows = rowsOf<string, readonly [Channel]>("defaults");
/** By workflow: the layouts it names. */
export const usersRows = rowsOf<readonly string[]>("users");

export const resident = [defaultRows, layoutResource.store.resident];

export function empty({ tenant }: Address): State {
  return { tenant, records: new Map(), defaults: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, defaultRows)) state.defaults.set(row.key[0], row.value);
  else layoutResource.store.restore(state.records, row);
}

export const apply = applying<State, Event>({
  record_changed: (state, event, rows) => applyRecord(layoutResource, state, event, rows),
  default_set(state, { id, channel }, rows) {
    if (id === null) {
      state.defaults.delete(channel);
      rows.delete(defaultRows, [channel]);
    } else {
      state.defaults.set(channel, id);
      rows.put(defaultRows, [channel], id);
    }
  },
  usage_put(_state, { workflowKey, before, after }, rows) {
    for (const id of before) rows.delete(usageRows, [id, workflowKey]);
    for (const id of after) rows.put(usageRows, [id, workflowKey], true);
    if (after.length === 0) rows.delete(usersRows, [workflowKey]);
    else rows.put(usersRows, [workflowKey], after);
  },
  purged(state, event, rows) {
    applyRecord(layoutResource, state, event, rows);
    for (const collection of [defaultRows, usageRows, usersRows]) rows.deletePrefix(collection, []);
    state.defaults.clear();
  },
});
