import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { contextSet } from "../notify/resolve.ts";
import {
  droppingRows,
  isExpanding,
  leftRows,
  type Member,
  memberRows,
  type SequenceRow,
  type State,
  type TopicRecord,
} from "./record.ts";
import type { Event, Joined, Left } from "./state.ts";

interface Add {
  readonly subscriberIds: readonly string[];
  readonly contextKeys: readonly string[];
}

/** Who joins, or changes its context keys, takes a new sequence: broadcasts that were accepted before see what was before. */
export function add(state: State, topic: TopicRecord, asked: Add, context: Context): Decision<Event> {
  const ids = [...new Set(asked.subscriberIds)];
  const known = membersOf(topic.id, ids, context);
  const contextKeys = contextSet(asked.contextKeys);
  let seq = state.seq;
  let added = 0;
  const joined: Joined[] = [];
  for (const subscriberId of ids) {
    const before = known.get(subscriberId);
    if (before && isSame(before.contextKeys, contextKeys)) continue;
    seq++;
    if (!before) added++;
    const member: Member = { seq, contextKeys, joinedAt: before?.joinedAt ?? context.now };
    joined.push({
      subscriberId,
      member,
      ...(before && { before: { seq: before.seq, ...kept(state, topic.id, subscriberId, before, seq) } }),
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
  const after = { ...topic, memberCount: topic.memberCount + added };
  return {
    events: [{ type: "members_joined", topic: after, joined, seq, contextKeys }],
    awaitDelivery: true,
    answer,
  };
}

export function remove(
  state: State,
  topic: TopicRecord,
  subscriberIds: readonly string[],
  context: Context,
): Decision<Event> {
  let seq = state.seq;
  const left: Left[] = [];
  for (const [subscriberId, member] of membersOf(topic.id, [...new Set(subscriberIds)], context)) {
    seq++;
    left.push({ subscriberId, seq: member.seq, ...kept(state, topic.id, subscriberId, member, seq) });
  }
  const answer = { removed: left.length };
  if (left.length === 0) return { events: [], answer };
  const after = { ...topic, memberCount: topic.memberCount - left.length };
  return { events: [{ type: "members_left", topic: after, left, seq }], awaitDelivery: true, answer };
}

/** The members of a deleted topic leave, some at a time. */
export function drop(state: State, topicId: string, context: Context): Decision<Event> {
  const range = { prefix: [topicId], limit: limits.broadcastStepMembers };
  context.prefetch([{ ...range, collection: memberRows }]);
  const dropping = context.get(droppingRows, [topicId]);
  if (!dropping) return { events: [] };
  const rows = context.scan(memberRows, range);
  const { topicKey, leftSeq } = dropping;
  const left = rows.map(({ key: [, subscriberId], value: member }): Left => {
    return { subscriberId, seq: member.seq, ...kept(state, topicId, subscriberId, member, leftSeq) };
  });
  const more = rows.length === limits.broadcastStepMembers;
  return { events: [{ type: "members_dropped", topicId, topicKey, left, more }], frees: true };
}

/** Rows of the past that no broadcast needs any more. */
export function clean(state: State, topicId: string, context: Context): Decision<Event> {
  const rows = context.scan(leftRows, { prefix: [topicId], limit: limits.broadcastStepMembers });
  const seqs = rows.map(({ key }) => key[1]).filter((seq) => !isNeeded(state, topicId, seq));
  if (seqs.length === 0) return { events: [] };
  // Where some are needed, the end of their broadcast looks again.
  const more = rows.length === limits.broadcastStepMembers && seqs.length === rows.length;
  return { events: [{ type: "rows_cleaned", topicId, seqs, more }], frees: true };
}

function kept(
  state: State,
  topicId: string,
  subscriberId: string,
  { seq, contextKeys }: Member,
  leftSeq: number,
): { keep?: SequenceRow } {
  return isNeeded(state, topicId, seq) ? { keep: { subscriberId, contextKeys, leftSeq } } : {};
}

/** A broadcast that has not come to this row yet, and was accepted after it was made. */
function isNeeded(state: State, topicId: string, seq: number): boolean {
  for (const broadcast of state.active.values()) {
    if (broadcast.topicId !== topicId || !isExpanding(broadcast)) continue;
    if (broadcast.cursor < seq && seq <= broadcast.cutoff) return true;
  }
  return false;
}

/** Those of the ids that are members. */
function membersOf(topicId: string, ids: readonly string[], context: Context): ReadonlyMap<string, Member> {
  const found = context.getMany(
    memberRows,
    ids.map((id) => [topicId, id] as const),
  );
  return new Map(ids.flatMap((id, index) => (found[index] ? [[id, found[index]]] : [])));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
