import type { Address } from "#runtime";
import { applyRecord, type RecordChanged } from "../kit/state.ts";
import { applying } from "../kit/table.ts";
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

export const apply = applying<State, Event>({
  record_changed: (state, event, rows) => applyRecord(noticeResource, state, event, rows),
  user_put: (_state, { userId, row }, rows) => rows.put(userRows, [userId], row),
  user_deleted: (_state, { userId }, rows) => rows.delete(userRows, [userId]),
  purged(state, event, rows) {
    for (const record of state.records.values()) tellLayouts(state, { before: record, after: null }, rows);
    applyRecord(noticeResource, state, event, rows);
    rows.deletePrefix(userRows, []);
    tellDirectory(state, { type: "deleted", id: event.id }, rows);
  },
});
