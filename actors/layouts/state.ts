import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applyRecord, type RecordEvent } from "../kit/state.ts";
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

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "record_changed":
      applyRecord(layoutResource, state, event, rows);
      return;
    case "default_set":
      if (event.id === null) {
        state.defaults.delete(event.channel);
        rows.delete(defaultRows, [event.channel]);
      } else {
        state.defaults.set(event.channel, event.id);
        rows.put(defaultRows, [event.channel], event.id);
      }
      return;
    case "usage_put": {
      const { workflowKey, before, after } = event;
      for (const id of before) rows.delete(usageRows, [id, workflowKey]);
      for (const id of after) rows.put(usageRows, [id, workflowKey], true);
      if (after.length === 0) rows.delete(usersRows, [workflowKey]);
      else rows.put(usersRows, [workflowKey], after);
      return;
    }
    case "purged":
      applyRecord(layoutResource, state, event, rows);
      for (const collection of [defaultRows, usageRows, usersRows]) rows.deletePrefix(collection, []);
      state.defaults.clear();
      return;
  }
}
