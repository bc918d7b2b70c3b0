import { type Address, isRowOf, type RowWriter, type StoredRow } from "#runtime";
import { applyRecord, type RecordChanged } from "../kit/state.ts";
import { applying } from "../kit/table.ts";
import { byAudience } from "../notify/address.ts";
import type {
  CancelFanOut,
  FanOut,
  FanOutMember,
  FanOutOver,
  Manifest,
  SubscriptionsPut,
  SubscriptionsRemoved,
} from "../notify/manifest.ts";
import { forgetTimer } from "../notify/old-rows.ts";
import {
  type Broadcast,
  type Member,
  noProgress,
  type Progress,
  type SequenceRow,
  type State,
  setSeq,
  type TopicRecord,
  tables,
  tellDirectory,
  topicResource,
} from "./record.ts";

interface OfTopic {
  readonly topicId: string;
  readonly topicKey: string;
}

export type Event =
  | RecordChanged<TopicRecord>
  /** Another number of members, which makes no version. */
  | { readonly type: "members_counted"; readonly topic: TopicRecord; readonly seq: number }
  | (OfTopic & {
      readonly type: "members_joined";
      readonly joined: readonly Joined[];
      readonly contextKeys: readonly string[];
    })
  | (OfTopic & { readonly type: "members_left"; readonly left: readonly Left[] })
  /** All members of a deleted topic have left. */
  | { readonly type: "members_dropped"; readonly topicId: string }
  | { readonly type: "rows_cleaned"; readonly topicId: string; readonly seqs: readonly number[] }
  | { readonly type: "broadcast_accepted"; readonly broadcast: Broadcast; readonly manifest: Manifest }
  | { readonly type: "broadcast_put"; readonly broadcast: Broadcast }
  | {
      readonly type: "expanded";
      readonly broadcast: Broadcast;
      readonly parts: readonly Part[];
      /** For audiences that do not have it yet. */
      readonly manifest: Manifest | null;
    }
  | {
      readonly type: "progressed";
      readonly broadcast: Broadcast;
      readonly audience: string;
      readonly progress: Progress;
    }
  | { readonly type: "broadcast_over"; readonly broadcast: Broadcast }
  | { readonly type: "broadcasts_forgotten"; readonly broadcasts: readonly (readonly [number, string])[] }
  /** Absent: it is due at once. */
  | { readonly type: "timer_set"; readonly id: string; readonly atMs?: number }
  | { readonly type: "purged"; readonly id: string };

export interface Joined {
  readonly member: Member;
  readonly subscriberId: string;
  /** Its row of before. */
  readonly before?: Left;
}

export interface Left {
  readonly subscriberId: string;
  readonly seq: number;
  /** For broadcasts that were accepted before. */
  readonly keep?: SequenceRow;
}

/** What one audience is told. */
export interface Part {
  readonly audience: string;
  readonly members: readonly FanOutMember[];
}

export function empty({ tenant, key }: Address): State {
  const records = new Map();
  return { tenant, key, records, seq: 0, active: new Map(), progress: new Map(), changed: new Set() };
}

export const resident = [topicResource.store.resident, tables.seq, tables.active, tables.progress];

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, tables.seq)) state.seq = row.value;
  else if (isRowOf(row, tables.active)) state.active.set(row.key[0], row.value);
  else if (isRowOf(row, tables.progress)) progressOf(state, row.key[0]).set(row.key[1], row.value);
  else topicResource.store.restore(state.records, row);
}

export const apply = applying<State, Event>({
  record_changed: (state, event, rows) => applyRecord(topicResource, state, event, rows),
  members_counted(state, { topic, seq }, rows) {
    topicResource.store.put(state.records, topic, topic, rows);
    setSeq(state, seq, rows);
  },
  members_joined(state, { topicId, topicKey, joined, contextKeys }, rows) {
    for (const { subscriberId, member, before } of joined) {
      if (before) retire(topicId, before, rows);
      rows.put(tables.members, [topicId, subscriberId], member);
      rows.put(tables.sequence, [topicId, member.seq], { subscriberId, contextKeys: member.contextKeys });
    }
    const copy = { type: "subscriptions_put", topicId, topicKey, contextKeys, createdAt: rows.now } as const;
    for (const [audience, members] of byAudience(joined, ({ subscriberId }) => subscriberId))
      tell(state, audience, { ...copy, subscriberIds: idsOf(members) }, rows);
  },
  members_left: leave,
  members_dropped: (_state, { topicId }, rows) => rows.delete(tables.dropping, [topicId]),
  rows_cleaned(_state, { seqs, topicId }, rows) {
    for (const seq of seqs) {
      rows.delete(tables.sequence, [topicId, seq]);
      rows.delete(tables.left, [topicId, seq]);
    }
  },
  broadcast_accepted(state, { broadcast, manifest }, rows) {
    rows.put(tables.manifests, [broadcast.transactionId], manifest);
    setBroadcast(state, broadcast, rows);
  },
  broadcast_put: (state, { broadcast }, rows) => setBroadcast(state, broadcast, rows),
  expanded: expand,
  progressed(state, { broadcast, audience, progress }, rows) {
    progressOf(state, broadcast.transactionId).set(audience, progress);
    rows.put(tables.progress, [broadcast.transactionId, audience], progress);
    setBroadcast(state, broadcast, rows);
  },
  broadcast_over: (state, { broadcast }, rows) => end(state, broadcast, rows),
  broadcasts_forgotten(_state, { broadcasts }, rows) {
    for (const [at, transactionId] of broadcasts) {
      rows.delete(tables.broadcasts, [transactionId]);
      rows.delete(tables.broadcastTimes, [at, transactionId]);
    }
  },
  timer_set: (_state, { id, atMs }, rows) => rows.setTimer(id, atMs ?? rows.now),
  purged(state, { id }, rows) {
    purge(state, rows);
    tellDirectory(state, id === state.key ? "topic_entity" : "topic", { type: "deleted", id }, rows);
  },
});

/** Active broadcasts are written once a commit. */
export function beforeCommit(state: State, rows: RowWriter): void {
  for (const transactionId of state.changed) {
    const broadcast = state.active.get(transactionId);
    if (broadcast) rows.put(tables.active, [transactionId], broadcast);
  }
  state.changed.clear();
}

function progressOf(state: State, transactionId: string): Map<string, Progress> {
  const known = state.progress.get(transactionId) ?? new Map<string, Progress>();
  state.progress.set(transactionId, known);
  return known;
}

/** What follows from another state: members are sent on, or audiences are told to stop, and rows that it needed may go. */
function setBroadcast(state: State, broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId } = broadcast;
  const before = state.active.get(transactionId);
  state.active.set(transactionId, broadcast);
  state.changed.add(transactionId);
  if (broadcast.state === before?.state || broadcast.state === "waiting") return;
  if (broadcast.state === "cancelled") tellAudiences(state, { type: "cancel_fan_out", transactionId }, rows);
  publishBroadcast(broadcast, rows);
  rows.setTimer(
    broadcast.state === "expanding" ? `step:${transactionId}` : `clean:${broadcast.topicId}`,
    rows.now,
  );
}

function leave(
  state: State,
  { topicId, topicKey, left }: Extract<Event, { type: "members_left" }>,
  rows: RowWriter,
): void {
  for (const member of left) {
    rows.delete(tables.members, [topicId, member.subscriberId]);
    retire(topicId, member, rows);
  }
  for (const [audience, members] of byAudience(left, ({ subscriberId }) => subscriberId))
    tell(
      state,
      audience,
      { type: "subscriptions_removed", topicId, topicKey, subscriberIds: idsOf(members) },
      rows,
    );
}

function idsOf(members: readonly { readonly subscriberId: string }[]): string[] {
  return members.map(({ subscriberId }) => subscriberId);
}

/** A row of the past stays only while a broadcast needs it. */
function retire(topicId: string, { seq, keep }: Left, rows: RowWriter): void {
  if (keep) {
    rows.put(tables.sequence, [topicId, seq], keep);
    rows.put(tables.left, [topicId, seq], 1);
  } else rows.delete(tables.sequence, [topicId, seq]);
}

/** Cursor and messages are one commit: no part is lost, and none is sent twice. */
function expand(
  state: State,
  { broadcast, parts, manifest }: Extract<Event, { type: "expanded" }>,
  rows: RowWriter,
): void {
  const { transactionId } = broadcast;
  const known = progressOf(state, transactionId);
  for (const { audience, members } of parts) {
    const isNew = !known.has(audience);
    const part: FanOut = { type: "fan_out", transactionId, topic: state.key, members };
    tell(state, audience, isNew && manifest ? { ...part, manifest } : part, rows);
    if (!isNew) continue;
    known.set(audience, noProgress);
    rows.put(tables.progress, [transactionId, audience], noProgress);
  }
  setBroadcast(state, broadcast, rows);
}

function end(state: State, broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId } = broadcast;
  const before = state.active.get(transactionId)!;
  tellAudiences(state, { type: "fan_out_over", transactionId }, rows);
  state.active.delete(transactionId);
  state.progress.delete(transactionId);
  state.changed.delete(transactionId);
  rows.delete(tables.active, [transactionId]);
  rows.deletePrefix(tables.progress, [transactionId]);
  rows.delete(tables.manifests, [transactionId]);
  rows.put(tables.broadcasts, [transactionId], broadcast);
  rows.put(tables.broadcastTimes, [broadcast.updatedAt, transactionId], 1);
  forgetTimer(rows);
  if (broadcast.state !== before.state) publishBroadcast(broadcast, rows);
}

type ToAudience = FanOut | CancelFanOut | FanOutOver | SubscriptionsPut | SubscriptionsRemoved;

function tell({ tenant }: State, audience: string, message: ToAudience, rows: RowWriter): void {
  rows.send({ kind: "audience", tenant, key: audience }, message);
}

/** Those that have a part of it. */
function tellAudiences(state: State, message: CancelFanOut | FanOutOver, rows: RowWriter): void {
  for (const audience of state.progress.get(message.transactionId)?.keys() ?? [])
    tell(state, audience, message, rows);
}

function publishBroadcast(broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId, state, topicKey, workflowKey } = broadcast;
  rows.publish(`broadcast.${state}`, transactionId, { topic_key: topicKey, workflow_key: workflowKey });
}

/** Timers that are left find nothing. */
function purge(state: State, rows: RowWriter): void {
  topicResource.store.clear(state.records, rows);
  for (const collection of Object.values(tables)) rows.deletePrefix(collection, []);
  for (const map of [state.active, state.progress, state.changed]) map.clear();
  state.seq = 0;
}
