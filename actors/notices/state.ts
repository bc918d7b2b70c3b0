import type { Address, RowWriter } from "#runtime";
import { applyRecord, type RecordChanged } from "../kit/state.ts";
import {
  type NoticeRecord,
  noticeResource,
  type State,
  tellDirectory,
  tellLayouts,
  type UserRow,
  userRows,
} from "./record.ts";

export type Event =
  | RecordChanged<NoticeRecord>
  | { readonly type: "user_put"; readonly userId: string; readonly row: UserRow }
  | { readonly type: "user_deleted"; readonly userId: string }
  | { readonly type: "purged"; readonly id: string };

export function empty({ tenant }: Address): State {
  return { tenant, records: new Map() };
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "record_changed":
      applyRecord(noticeResource, state, event, rows);
      return;
    case "user_put":
      rows.put(userRows, [event.userId], event.row);
      return;
    case "user_deleted":
      rows.delete(userRows, [event.userId]);
      return;
    case "purged":
      for (const record of state.records.values()) tellLayouts(state, { before: record, after: null }, rows);
      applyRecord(noticeResource, state, event, rows);
      rows.deletePrefix(userRows, []);
      tellDirectory(state, { type: "deleted", id: event.id }, rows);
      return;
  }
}
