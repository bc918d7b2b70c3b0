import { isRefusal, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import { type PageRequest, pageBounds, sealCursor } from "../kit/cursor.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { nextRecord } from "../kit/record.ts";
import { secretOf } from "../kit/state.ts";
import { checkVersion } from "../kit/version.ts";
import type { FanOutProgress, Manifest } from "../notify/manifest.ts";
import * as broadcasts from "./broadcasts.ts";
import * as members from "./members.ts";
import { type Member, type TopicRecord, topicMessage } from "./record.ts";
import type { Event, State } from "./state.ts";

export type Command =
  | TopicCreation
  | EntityPurge
  | FanOutProgress
  | { readonly type: "get"; readonly key: string }
  /** For lists: the directory knows ids. */
  | { readonly type: "get_by_id"; readonly id: string }
  | {
      readonly type: "update";
      readonly key: string;
      readonly given: Pick<TopicRecord, "name" | "description" | "metadata">;
      readonly version?: number;
    }
  | { readonly type: "delete"; readonly key: string; readonly version?: number }
  | {
      readonly type: "add_members";
      readonly key: string;
      readonly subscriberIds: readonly string[];
      readonly contextKeys: readonly string[];
    }
  | { readonly type: "remove_members"; readonly key: string; readonly subscriberIds: readonly string[] }
  | { readonly type: "list_members"; readonly request: PageRequest & { readonly key: string } }
  | { readonly type: "broadcast"; readonly key: string; readonly manifest: Manifest }
  | { readonly type: "get_broadcast" | "cancel_broadcast"; readonly transactionId: string }
  | { readonly type: "timer"; readonly id: string };

/** From the directory. */
export interface TopicCreation {
  readonly type: "create";
  readonly record: TopicRecord;
}

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "create":
      if (state.topics.has(command.record.key)) return { events: [] };
      return { events: [{ type: "topic_put", topic: command.record, told: "created" }] };
    case "purge":
      return { events: [{ type: "purged", id: command.id }], frees: true };
    case "fan_out_progress":
      return broadcasts.progress(state, command, context);
    case "timer":
      return onTimer(state, command.id, context);
    case "get_broadcast":
      return broadcasts.getBroadcast(state, command.transactionId, context);
    case "cancel_broadcast":
      return broadcasts.cancel(state, command.transactionId, context);
    case "get_by_id": {
      const topic = [...state.topics.values()].find(({ id }) => id === command.id);
      return topic ? { events: [], answer: topicMessage(topic) } : refuse("NOT_FOUND", "it was deleted");
    }
    case "list_members":
      return listMembers(state, command.request, context);
    default: {
      // A broadcast that is known already was accepted while the topic was there.
      if (command.type === "broadcast" && command.manifest.transactionId !== "") {
        const known = broadcasts.known(state, command.manifest, context);
        if (known) return known;
      }
      const topic = state.topics.get(command.key);
      return topic ? decideTopic(state, topic, command, context) : noTopic(command.key);
    }
  }
}

type TopicCommand = Extract<
  Command,
  { type: "get" | "update" | "delete" | "add_members" | "remove_members" | "broadcast" }
>;

function decideTopic(
  state: State,
  topic: TopicRecord,
  command: TopicCommand,
  context: Context,
): Decision<Event> {
  switch (command.type) {
    case "get":
      return { events: [], answer: topicMessage(topic) };
    case "update": {
      const conflict = checkVersion(topic.recordVersion, command.version);
      if (conflict) return conflict;
      const after = nextRecord<TopicRecord>(topic, { ...topic, ...command.given }, context.now);
      if (!after) return { events: [], answer: topicMessage(topic) };
      return {
        events: [{ type: "topic_put", topic: after, told: "updated" }],
        answer: topicMessage(after),
      };
    }
    case "delete": {
      const conflict = checkVersion(topic.recordVersion, command.version);
      if (conflict) return conflict;
      return {
        events: [{ type: "topic_deleted", topic, leftSeq: state.seq + 1 }],
        awaitDelivery: true,
        answer: { key: topic.key, deleted: true },
      };
    }
    case "add_members":
      return members.add(state, topic, command, context);
    case "remove_members":
      return members.remove(state, topic, command.subscriberIds, context);
    case "broadcast":
      return broadcasts.accept(state, topic, command.manifest, context);
  }
}

function listMembers(
  state: State,
  request: PageRequest & { readonly key: string },
  context: Context,
): Decision<Event> {
  const topic = state.topics.get(request.key);
  if (!topic) return noTopic(request.key);
  const scope = [state.tenant, "members", topic.id];
  const bounds = pageBounds(request, state.secret, scope);
  if (isRefusal(bounds)) return bounds;
  const range = {
    collection: "members",
    prefix: [topic.id],
    limit: bounds.offset + bounds.size + 1,
    ...(bounds.after && { from: [topic.id, `${bounds.after[0]}\u0000`] }),
  };
  const rows = context.range(range);
  if (!rows) return { need: [range] };
  const shown = rows.slice(bounds.offset, bounds.offset + bounds.size);
  const more = rows.length > bounds.offset + bounds.size;
  const { secret, drawn } = secretOf(state, context);
  return {
    events: more ? drawn : [],
    answer: {
      members: shown.map(({ key, value }) => memberMessage(key[1] as string, value as Member)),
      next_page_token: more ? sealCursor(secret, scope, [shown.at(-1)!.key[1] as string]) : "",
      total: topic.memberCount,
    },
  };
}

function memberMessage(subscriberId: string, { contextKeys, joinedAt }: Member) {
  return { subscriber_id: subscriberId, context_keys: contextKeys, joined_at: toRfc3339(joinedAt) };
}

function onTimer(state: State, id: string, context: Context): Decision<Event> {
  const [name, of = ""] = id.split(/:(.*)/s);
  switch (name) {
    case "step":
      return broadcasts.step(state, of, context);
    case "drop":
      return members.drop(state, of, context);
    case "clean":
      return members.clean(state, of, context);
    default:
      return broadcasts.forgetOld(context);
  }
}

function noTopic(key: string): Refusal {
  return refuse("NOT_FOUND", `there is no topic ${key}`);
}
