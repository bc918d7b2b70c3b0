import { type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import type { NoticeOwned, NoticeReleased } from "../notify/notice.ts";
import { type PreferenceSettings, problemsOf, settingsOf } from "../notify/preference.ts";
import {
  type NoticeGiven,
  type NoticeRecord,
  type NoticeSettings,
  noticeMessage,
  noticeProblems,
  noticeSettings,
  snapshotOf,
  type UserRow,
  userMessage,
} from "./record.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | EntityPurge
  | NoticeOwned
  | NoticeReleased
  | { readonly type: "put"; readonly given: NoticeGiven }
  | { readonly type: "get" | "delete" }
  | { readonly type: "snapshot"; readonly userId?: string }
  | { readonly type: "put_user"; readonly userId: string; readonly preference: PreferenceSettings }
  | { readonly type: "get_user" | "delete_user"; readonly userId: string };

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { record } = state;
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged", id: command.id }], frees: true };
    case "put":
      return put(state, command.given, context);
    case "owned":
      return own(state, command, context);
    case "released":
      return release(state, command, context);
    case "snapshot": {
      const { userId } = command;
      if (userId === undefined) return { events: [], answer: snapshotOf(record, undefined) };
      const user = userRow(userId, context);
      if (user === undefined) return needUser(userId);
      return { events: [], answer: snapshotOf(record, user?.preference ?? null) };
    }
    case "get":
      return record ? { events: [], answer: noticeMessage(record) } : noNotice(state.key);
    case "delete":
      if (!record) return noNotice(state.key);
      if (record.ownedBy !== undefined) return owned(record);
      return {
        events: [{ type: "deleted" }],
        awaitDelivery: true,
        answer: { workflow_key: state.key, deleted: true },
      };
    case "put_user": {
      if (!record) return noNotice(state.key);
      const fields = problemsOf(command.preference, "preference.");
      if (fields.length > 0) return invalid(fields);
      const row = { preference: settingsOf(command.preference), updatedAt: context.now };
      return {
        events: [{ type: "user_put", userId: command.userId, row }],
        answer: userMessage(state.key, command.userId, row),
      };
    }
    case "get_user":
    case "delete_user": {
      const { userId } = command;
      const user = userRow(userId, context);
      if (user === undefined) return needUser(userId);
      if (user === null) return refuse("NOT_FOUND", `there is no row of the user ${userId}`);
      if (command.type === "get_user") return { events: [], answer: userMessage(state.key, userId, user) };
      return { events: [{ type: "user_deleted", userId }], answer: { user_id: userId, deleted: true } };
    }
  }
}

function put(state: State, given: NoticeGiven, context: Context): Decision<Event> {
  const { record } = state;
  if (record?.ownedBy !== undefined) return owned(record);
  if (given.version !== undefined && given.version !== (record?.version ?? 0))
    return refuse("VERSION_CONFLICT", `version is ${record?.version ?? 0}, not ${given.version}`, {
      extra: { version: record?.version ?? 0 },
    });
  const settings = noticeSettings(given);
  const fields = noticeProblems(settings);
  if (fields.length > 0) return invalid(fields);
  const next = nextRecord(state, settings, context);
  return {
    events: [{ type: "put", record: next }],
    awaitDelivery: true,
    answer: noticeMessage(next),
  };
}

function nextRecord({ key, record }: State, settings: NoticeSettings, { now }: Context): NoticeRecord {
  return {
    workflowKey: key,
    ...settings,
    version: (record?.version ?? 0) + 1,
    createdAt: record?.createdAt ?? now,
    updatedAt: now,
  };
}

/** What was there becomes an older version. */
function own(state: State, { definitionId, given }: NoticeOwned, context: Context): Decision<Event> {
  const record = { ...nextRecord(state, noticeSettings(given), context), ownedBy: definitionId };
  return { events: [{ type: "put", record }] };
}

function release({ record }: State, { definitionId }: NoticeReleased, context: Context): Decision<Event> {
  if (record?.ownedBy !== definitionId) return { events: [] };
  const { ownedBy: _, ...released } = record;
  return { events: [{ type: "put", record: { ...released, updatedAt: context.now } }] };
}

function owned({ workflowKey, ownedBy }: NoticeRecord): Refusal {
  const detail = `${workflowKey} is what the workflow definition ${ownedBy} says: change and publish that one`;
  return refuse("FAILED_PRECONDITION", detail, { reason: "OWNED_BY_DEFINITION" });
}

function userRow(userId: string, context: Context): UserRow | null | undefined {
  return context.row({ collection: "users", key: [userId] }) as UserRow | null | undefined;
}

function needUser(userId: string): Decision<Event> {
  return { need: [{ collection: "users", key: [userId] }] };
}

function noNotice(key: string): Refusal {
  return refuse("NOT_FOUND", `there is no notification workflow ${key}`);
}

function invalid(fields: readonly { field: string; reason: string }[]): Refusal {
  return refuse("INVALID_ARGUMENT", `${fields[0]!.field} ${fields[0]!.reason}`, { fields });
}
