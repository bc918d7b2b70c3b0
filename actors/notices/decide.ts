import { invalid, refuse } from "#base";
import type { PutNoticeRequest, PutUserPreferenceRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import { decideOneRecord, noRecord, type OneRecordCommand } from "../kit/decide.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { checkVersion } from "../kit/version.ts";
import type { NoticeOwned, NoticeReleased } from "../notify/notice.ts";
import { problemsOf, settingsOf } from "../notify/preference.ts";
import {
  messageOf,
  type NoticeRecord,
  type NoticeSettings,
  noticeResource,
  noticeSettings,
  owned,
  type State,
  snapshotOf,
  userMessage,
  userRows,
} from "./record.ts";
import type { Event } from "./state.ts";

export type Command =
  | EntityPurge
  | NoticeOwned
  | NoticeReleased
  | OneRecordCommand
  | { readonly type: "put"; readonly given: PutNoticeRequest }
  | { readonly type: "snapshot"; readonly userId?: string | undefined }
  | { readonly type: "put_user"; readonly given: PutUserPreferenceRequest }
  | { readonly type: "get_user" | "delete_user"; readonly userId: string };

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { key } = context.address;
  const record = state.records.get(key);
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged", id: command.id }], frees: true };
    case "put":
      return put(record, command.given, context);
    case "owned": {
      // What was there becomes an older version.
      const next = nextRecord(record, noticeSettings(command.given), context);
      return { events: [changed(record, { ...next, ownedBy: command.definitionId })] };
    }
    case "released":
      return release(record, command, context);
    case "snapshot": {
      const { userId } = command;
      if (userId === undefined) return { events: [], answer: snapshotOf(record, undefined) };
      const user = context.get(userRows, [userId]);
      return { events: [], answer: snapshotOf(record, user?.preference ?? null) };
    }
    case "put_user": {
      if (!record) return noRecord(noticeResource, key);
      const { user_id: userId, preference = {} } = command.given;
      const problems = problemsOf(preference, "preference.");
      if (problems.length > 0) return invalid(...problems);
      const row = { preference: settingsOf(preference), updatedAt: context.now };
      return { events: [{ type: "user_put", userId, row }], answer: userMessage(key, userId, row) };
    }
    case "get_user":
    case "delete_user": {
      const { userId } = command;
      const user = context.get(userRows, [userId]);
      if (user === null) return refuse("NOT_FOUND", `there is no row of the user ${userId}`);
      if (command.type === "get_user") return { events: [], answer: userMessage(key, userId, user) };
      return { events: [{ type: "user_deleted", userId }], answer: { user_id: userId, deleted: true } };
    }
    default:
      return decideOneRecord(noticeResource, state, command, context);
  }
}

function put(record: NoticeRecord | undefined, given: PutNoticeRequest, context: Context): Decision<Event> {
  if (record?.ownedBy !== undefined) return owned(record);
  const conflict = checkVersion(record?.recordVersion ?? 0, given.version, "version");
  if (conflict) return conflict;
  const problems = problemsOf(given.preference ?? {}, "preference.");
  if (problems.length > 0) return invalid(...problems);
  const next = nextRecord(record, noticeSettings(given), context);
  return { events: [changed(record, next)], awaitDelivery: true, answer: messageOf(next) };
}

/** A put is a version, also where it changes nothing. */
function nextRecord(
  record: NoticeRecord | undefined,
  settings: NoticeSettings,
  { now, address }: Context,
): NoticeRecord {
  return {
    id: address.key,
    ...settings,
    createdAt: record?.createdAt ?? now,
    updatedAt: now,
    recordVersion: (record?.recordVersion ?? 0) + 1,
  };
}

function changed(before: NoticeRecord | undefined, after: NoticeRecord): Event {
  return { type: "record_changed", before: before ?? null, after };
}

function release(
  record: NoticeRecord | undefined,
  { definitionId }: NoticeReleased,
  { now }: Context,
): Decision<Event> {
  if (record?.ownedBy !== definitionId) return { events: [] };
  const { ownedBy: _, ...released } = record;
  return { events: [changed(record, { ...released, updatedAt: now })] };
}
