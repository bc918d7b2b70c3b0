import { type Address, isRowOf, type RowWriter, type StoredRow } from "#runtime";
import { applyRecord, type RecordEvent } from "../kit/state.ts";
import { pacerAddress } from "../notify/outbound/types.ts";
import type { PacerCommand } from "./pacer/decide.ts";
import {
  deletedIdRows,
  deletedRows,
  type Integration,
  integrationResource,
  type OwnEvent,
  pacedRows,
  type State,
} from "./record.ts";

export type Event = RecordEvent<Integration> | OwnEvent;

export const resident = [pacedRows, deletedIdRows, integrationResource.store.resident];

export function empty({ tenant }: Address): State {
  return { tenant, records: new Map(), paced: new Set(), deleted: [] };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, pacedRows)) state.paced.add(row.key[0]);
  // Rows come in the order of their keys, which are times.
  else if (isRowOf(row, deletedIdRows)) state.deleted.push({ at: row.key[0], id: row.key[1] });
  else integrationResource.store.restore(state.records, row);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "record_changed":
      applyRecord(integrationResource, state, event, rows);
      return;
    case "forgotten":
      state.deleted.shift();
      rows.delete(deletedRows, [event.id]);
      rows.delete(deletedIdRows, [event.at, event.id]);
      return;
    case "purged":
      applyRecord(integrationResource, state, event, rows);
      for (const id of state.paced)
        rows.send(pacerAddress(state.tenant, id), { type: "pace_ended" } satisfies PacerCommand);
      for (const name of [pacedRows, deletedIdRows, deletedRows]) rows.deletePrefix(name, []);
      state.paced.clear();
      state.deleted.length = 0;
      return;
  }
}
