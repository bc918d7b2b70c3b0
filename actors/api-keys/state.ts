import type { RowWriter, StoredRow } from "#runtime";
import { type ApiKeyRecord, apiKeyRevokedTopic } from "../kit/api-key-record.ts";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";

export interface State {
  key?: ApiKeyRecord;
}

export type Event =
  | { readonly type: "created"; readonly key: ApiKeyRecord }
  | { readonly type: "used"; readonly atMs: number }
  | { readonly type: "revoked"; readonly atMs: number }
  | { readonly type: "purged"; readonly id: string; readonly tenant: string };

export function empty(): State {
  return {};
}

export function restore(state: State, { value }: StoredRow): void {
  state.key = value as ApiKeyRecord;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "created":
      keep(state, event.key, rows);
      return;
    case "used":
      keep(state, { ...state.key!, lastUsedAt: event.atMs }, rows);
      return;
    case "revoked": {
      const key = { ...state.key!, revokedAt: event.atMs };
      keep(state, key, rows);
      rows.broadcast(apiKeyRevokedTopic, { id: key.id });
      const told: DirectoryMessage = { type: "changed", id: key.id, status: "revoked" };
      rows.send(directoryOf(key.tenant, "api_key"), told);
      return;
    }
    case "purged":
      purge(state, event.id, event.tenant, rows);
      return;
  }
}

/** Whether or not it was there: its directory asks until it hears that it is gone. */
function purge(state: State, id: string, tenant: string, rows: RowWriter): void {
  delete state.key;
  rows.delete("key", []);
  rows.broadcast(apiKeyRevokedTopic, { id });
  const told: DirectoryMessage = { type: "deleted", id };
  rows.send(directoryOf(tenant, "api_key"), told);
}

function keep(state: State, key: ApiKeyRecord, rows: RowWriter): void {
  state.key = key;
  rows.put("key", [], key);
}
