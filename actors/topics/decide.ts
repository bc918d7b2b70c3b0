import { isRefusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision, StoredRow } from "#runtime";
import { decideOneRecord, findRecord, type OneRecordCommand } from "../kit/decide.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { type Bounds, listed, type PageRequest, pageOf } from "../kit/list.ts";
import type { FanOutProgress, Manifest } from "../notify/manifest.ts";
import * as broadcasts from "./broadcasts.ts";
import * as members from "./members.ts";
import { type Member, type State, type TopicRecord, tables, topicResource } from "./record.ts";
import type { Event } from "./state.ts";

export type Command =
  | TopicCreation
  | EntityPurge
  | FanOutProgress
  | OneRecordCommand
  /** For lists: the directory knows ids. */
  | { readonly type: "get_by_id"; readonly id: string }
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
      if (state.records.has(command.record.key)) return { events: [] };
      return { events: [{ type: "record_changed", before: null, after: command.record }] };
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
      const topic = [...state.records.values()].find(({ id }) => id === command.id);
      return topic
        ? { events: [], answer: topicResource.messageOf(topic, state) }
        : refuse("NOT_FOUND", "it was deleted");
    }
    case "list_members":
      return listMembers(state, command.request, context);
    case "add_members":
    case "remove_members":
    case "broadcast":
      return decideTopic(state, command, context);
    default:
      return decideOneRecord(topicResource, state, command, context);
  }
}

function decideTopic(
  state: State,
  command: Extract<Command, { type: "add_members" | "remove_members" | "broadcast" }>,
  context: Context,
): Decision<Event> {
  // A broadcast that is known already was accepted while the topic was there.
  if (command.type === "broadcast" && command.manifest.transactionId !== "") {
    const known = broadcasts.known(state, command.manifest, context);
    if (known) return known;
  }
  const topic = findRecord(topicResource, state, command.key, context);
  if (isRefusal(topic)) return topic;
  switch (command.type) {
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
  const topic = findRecord(topicResource, state, request.key, context);
  if (isRefusal(topic)) return topic;
  const { id, memberCount: total } = topic;
  const read = ({ after, limit }: Bounds) => {
    const range = { prefix: [id], limit, ...(after && { from: [id, `${after[0]}\u0000`] }) };
    return { values: context.scan(tables.members, range), total };
  };
  const list = {
    scope: [state.tenant, "members", id],
    shape: ["string"] as const,
    positionOf: ({ key }: MemberRow) => [key[1]],
    read,
  };
  return listed("members", pageOf(request, list, memberMessage));
}

type MemberRow = StoredRow<Member, readonly [topic: string, subscriber: string]>;

function memberMessage({ key, value: { contextKeys, joinedAt } }: MemberRow) {
  return { subscriber_id: key[1], context_keys: contextKeys, joined_at: toRfc3339(joinedAt) };
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
