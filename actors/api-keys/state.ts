import type { Address, RowWriter } from "#runtime";
import type { ApiKeyRecord } from "../kit/api-key-record.ts";
import { applyRecord, type RecordChanged } from "../kit/state.ts";
import { apiKeyResource, type State, tell } from "./record.ts";

export type Event =
  | RecordChanged<ApiKeyRecord>
  | { readonly type: "purged"; readonly id: string; readonly tenant: string };

export function empty({ tenant }: Address): State {
  return { tenant, records: new Map() };
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  applyRecord(apiKeyResource, state, event, rows);
  // Whether or not it was there: its directory asks until it hears that it is gone.
  if (event.type === "purged") tell(event.tenant, { type: "deleted", id: event.id }, rows);
}
