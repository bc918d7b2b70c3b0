import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { Counts } from "../kit/collection.ts";
import type { Created, DirectoryEntry, EntityPurge } from "../kit/directory.ts";
import { type Kind, type Kinds, kindOf } from "./kinds.ts";

export const purgeRows = rowsOf<string, readonly []>("purge");

export interface State {
  readonly kind: Kind;
  readonly counts: Counts;
  /** Of a deleted tenant: entities up to this id were told to go; empty: none, or all of them once. */
  purgedTo: string;
}

export type Event =
  | (Created & { readonly type: "created" })
  | { readonly type: "noted"; readonly entry: DirectoryEntry }
  | { readonly type: "changed"; readonly before: DirectoryEntry; readonly after: DirectoryEntry }
  | { readonly type: "deleted"; readonly entry: DirectoryEntry }
  | {
      readonly type: "purging";
      readonly tenant: string;
      readonly targets: readonly { readonly id: string; readonly to: Address }[];
      readonly after: string;
      readonly againAtMs: number;
    }
  | { readonly type: "purged" };

export function emptyIn(kinds: Kinds): (address: Address) => State {
  return ({ key }) => ({ kind: kindOf(kinds, key), counts: new Map(), purgedTo: "" });
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, purgeRows)) state.purgedTo = row.value;
  else state.kind.entries.restore(state.counts, row);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  const { entries } = state.kind;
  switch (event.type) {
    case "created":
      entries.put(state.counts, null, event.entry, rows);
      rows.send(event.message.to, event.message.body);
      return;
    case "noted":
      entries.put(state.counts, null, event.entry, rows);
      return;
    case "changed":
      entries.put(state.counts, event.before, event.after, rows);
      return;
    case "deleted":
      entries.remove(state.counts, event.entry, rows);
      return;
    case "purging":
      for (const { id, to } of event.targets) {
        const purge: EntityPurge = { type: "purge", id, tenant: event.tenant };
        rows.send(to, purge);
      }
      state.purgedTo = event.after;
      rows.put(purgeRows, [], event.after);
      rows.setTimer("purge", event.againAtMs);
      return;
    case "purged":
      rows.deletePrefix(purgeRows, []);
      state.purgedTo = "";
      entries.clear(state.counts, rows);
      return;
  }
}
