import { isDeepStrictEqual } from "node:util";
import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { contextSet } from "../notify/resolve.ts";
import { isExpanding, type Member, type State, type TopicRecord, tables } from "./record.ts";
import type { Event, Joined, Left } from "./state.ts";

interface Add {
  readonly subscriberIds: readonly string[];
  readonly contextKeys: readonly string[];
}

/** Who joins, or changes its context keys, takes a new sequence: broadcasts that were accepted before see what was before. */
export function add(state: State, topic: TopicRecord, asked: Add, context: Context): Decision<Event> {
  const { id: topicId, key: topicKey } = topic;
  const ids = [...new Set(asked.subscriberIds)];
  const known = membersOf(topicId, ids, context);
  const contextKeys = contextSet(asked.contextKeys);
  let seq = state.seq;
  let added = 0;
  const joined: Joined[] = [];
  for (const subscriberId of ids) {
    const before = known.get(subscriberId);
    if (before && isDeepStrictEqual(before.contextKeys, contextKeys)) continue;
    seq++;
    if (!before) added++;
    const member: Member = { seq, contextKeys, joinedAt: before?.joinedAt ?? context.now };
    joined.push({
      subscriberId,
      member,
      ...(before && { before: leftBy(state, topicId, subscriberId, before, seq) }),
    });
  }
  const answer = {
    added,
    updated: joined.length - added,
    // Of one that is asked for alone.
    ...(ids.length === 1 && {
      joined_at: (joined[0]?.member ?? known.get(ids[0]!))!.joinedAt,
      context_keys: contextKeys,
    }),
  };
  if (joined.length === 0) return { events: [], answer };
  const events: Event[] = [
    { type: "members_counted", topic: { ...topic, memberCount: topic.memberCount + added }, seq },
    { type: "members_joined", topicId, topicKey, joined, contextKeys },
  ];
  return { events, awaitDelivery: true, answer };
}

export function remove(
  state: State,
  topic: TopicRecord,
  subscriberIds: readonly string[],
  context: Context,
): Decision<Event> {
  const { id: topicId, key: topicKey } = topic;
  let seq = state.seq;
  const left = [...membersOf(topicId, [...new Set(subscriberIds)], context)].map(([id, member]) =>
    leftBy(state, topicId, id, member, ++seq),
  );
  const answer = { removed: left.length };
  if (left.length === 0) return { events: [], answer };
  const events: Event[] = [
    { type: "members_counted", topic: { ...topic, memberCount: topic.memberCount - left.length }, seq },
    { type: "members_left", topicId, topicKey, left },
  ];
  return { events, awaitDelivery: true, answer };
}

/** The members of a deleted topic leave, some at a time. */
export function drop(state: State, topicId: string, context: Context): Decision<Event> {
  const range = { prefix: [topicId], limit: limits.broadcastStepMembers };
  context.prefetch([{ ...range, collection: tables.members }]);
  const dropping = context.get(tables.dropping, [topicId]);
  if (!dropping) return { events: [] };
  const { topicKey, leftSeq } = dropping;
  const left = context
    .scan(tables.members, range)
    .map(({ key: [, id], value }) => leftBy(state, topicId, id, value, leftSeq));
  const more = left.length === limits.broadcastStepMembers;
  const events: Event[] = [
    { type: "members_left", topicId, topicKey, left },
    more ? { type: "timer_set", id: `drop:${topicId}` } : { type: "members_dropped", topicId },
  ];
  return { events, frees: true };
}

/** Rows of the past that no broadcast needs any more. */
export function clean(state: State, topicId: string, context: Context): Decision<Event> {
  const rows = context.scan(tables.left, { prefix: [topicId], limit: limits.broadcastStepMembers });
  const seqs = rows.map(({ key }) => key[1]).filter((seq) => !isNeeded(state, topicId, seq));
  if (seqs.length === 0) return { events: [] };
  const events: Event[] = [{ type: "rows_cleaned", topicId, seqs }];
  // Where some are needed, the end of their broadcast looks again.
  if (seqs.length === limits.broadcastStepMembers) events.push({ type: "timer_set", id: `clean:${topicId}` });
  return { events, frees: true };
}

/** A row of the past, kept where a broadcast has not come to it yet, and was accepted after it was made. */
function leftBy(
  state: State,
  topicId: string,
  subscriberId: string,
  { seq, contextKeys }: Member,
  leftSeq: number,
): Left {
  const keep = { subscriberId, contextKeys, leftSeq };
  return { subscriberId, seq, ...(isNeeded(state, topicId, seq) && { keep }) };
}

function isNeeded(state: State, topicId: string, seq: number): boolean {
  return [...state.active.values()].some(
    (broadcast) =>
      broadcast.topicId === topicId &&
      isExpanding(broadcast) &&
      broadcast.cursor < seq &&
      seq <= broadcast.cutoff,
  );
}

/** Those of the ids that are members. */
function membersOf(topicId: string, ids: readonly string[], context: Context): ReadonlyMap<string, Member> {
  const found = context.getMany(
    tables.members,
    ids.map((id) => [topicId, id] as const),
  );
  return new Map(ids.flatMap((id, index) => (found[index] ? [[id, found[index]]] : [])));
}
