import type { Address, RowWriter, StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { type LayoutsUsed, layoutsAddress } from "../notify/outbound/types.ts";
import type { NoticeRecord, UserRow } from "./record.ts";

export interface State {
  readonly tenant: string;
  readonly key: string;
  record?: NoticeRecord;
}

export type Event =
  | { readonly type: "put"; readonly record: NoticeRecord }
  | { readonly type: "deleted" }
  | { readonly type: "user_put"; readonly userId: string; readonly row: UserRow }
  | { readonly type: "user_deleted"; readonly userId: string }
  | { readonly type: "purged"; readonly id: string };

export function empty({ tenant, key }: Address): State {
  return { tenant, key };
}

export const resident = ["record"];

export function restore(state: State, { value }: StoredRow): void {
  state.record = value as NoticeRecord;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "put": {
      const { record } = event;
      if (!state.record)
        tellDirectory(state, { type: "noted", entry: { id: state.key, name: state.key } }, rows);
      tellLayouts(state, layoutsOf(record), rows);
      state.record = record;
      rows.put("record", [], record);
      rows.publish("notice.updated", state.key, { version: record.version });
      return;
    }
    case "deleted":
      rows.publish("notice.deleted", state.key, { version: state.record!.version });
      clear(state, rows);
      tellDirectory(state, { type: "deleted", id: state.key }, rows);
      return;
    case "user_put":
      rows.put("users", [event.userId], event.row);
      return;
    case "user_deleted":
      rows.delete("users", [event.userId]);
      return;
    case "purged":
      clear(state, rows);
      tellDirectory(state, { type: "deleted", id: event.id }, rows);
      return;
  }
}

function clear(state: State, rows: RowWriter): void {
  if (state.record) tellLayouts(state, [], rows);
  rows.delete("record", []);
  rows.deletePrefix("users", []);
  delete state.record;
}

function layoutsOf({ content }: NoticeRecord): readonly string[] {
  const named = Object.values(content).flatMap(({ layoutId }) => (layoutId === undefined ? [] : [layoutId]));
  return [...new Set(named)].sort();
}

/** Only where it has changed. */
function tellLayouts(state: State, layoutIds: readonly string[], rows: RowWriter): void {
  const before = state.record ? layoutsOf(state.record) : [];
  if (before.join() === layoutIds.join()) return;
  const message: LayoutsUsed = { type: "layouts_used", workflowKey: state.key, layoutIds };
  rows.send(layoutsAddress(state.tenant), message);
}

function tellDirectory({ tenant }: State, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, "notice"), message);
}
