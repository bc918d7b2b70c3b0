import { limits } from "#base";
import type { Address, RowWriter } from "#runtime";
import { directoryOf } from "../kit/directory.ts";
import { applyRecord } from "../kit/state.ts";
import type { FanOut } from "../notify/manifest.ts";
import {
  activeRows,
  type Broadcast,
  broadcastRows,
  broadcastTimeRows,
  droppingRows,
  leftRows,
  manifestRows,
  memberRows,
  noProgress,
  progressRows,
  type SequenceRow,
  type State,
  seqRows,
  sequenceRows,
  setSeq,
  type TopicRecord,
  tellDirectory,
  topicResource,
} from "./record.ts";
import { byAudience, type Event, type Left, progressOf } from "./state.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "record_changed":
      applyRecord(topicResource, state, event, rows);
      return;
    case "members_joined":
      join(state, event, rows);
      return;
    case "members_left":
      putTopic(state, event.topic, rows);
      setSeq(state, event.seq, rows);
      leave(state, event.topic.id, event.topic.key, event.left, rows);
      return;
    case "members_dropped":
      leave(state, event.topicId, event.topicKey, event.left, rows);
      if (event.more) rows.setTimer(`drop:${event.topicId}`, rows.now);
      else rows.delete(droppingRows, [event.topicId]);
      return;
    case "rows_cleaned":
      for (const seq of event.seqs) {
        rows.delete(sequenceRows, [event.topicId, seq]);
        rows.delete(leftRows, [event.topicId, seq]);
      }
      if (event.more) rows.setTimer(`clean:${event.topicId}`, rows.now);
      return;
    case "broadcast_accepted": {
      const { broadcast, manifest } = event;
      rows.put(manifestRows, [broadcast.transactionId], manifest);
      setBroadcast(state, broadcast);
      if (broadcast.state === "expanding") begin(broadcast, rows);
      return;
    }
    case "broadcast_put":
      setBroadcast(state, event.broadcast);
      if (event.broadcast.state === "expanding") begin(event.broadcast, rows);
      return;
    case "expanded":
      expand(state, event, rows);
      return;
    case "progressed": {
      const { broadcast, audience, progress } = event;
      progressOf(state, broadcast.transactionId).set(audience, progress);
      rows.put(progressRows, [broadcast.transactionId, audience], progress);
      setBroadcast(state, broadcast);
      return;
    }
    case "broadcast_cancelled": {
      const { broadcast } = event;
      setBroadcast(state, broadcast);
      for (const audience of state.progress.get(broadcast.transactionId)?.keys() ?? [])
        rows.send(addressOf(state, audience), {
          type: "cancel_fan_out",
          transactionId: broadcast.transactionId,
        });
      publishBroadcast(broadcast, rows);
      rows.setTimer(`clean:${broadcast.topicId}`, rows.now);
      return;
    }
    case "broadcast_over":
      end(state, event.broadcast, rows);
      return;
    case "step_due":
      rows.setTimer(`step:${event.transactionId}`, rows.now);
      return;
    case "broadcasts_forgotten":
      for (const [at, transactionId] of event.broadcasts) {
        rows.delete(broadcastRows, [transactionId]);
        rows.delete(broadcastTimeRows, [at, transactionId]);
      }
      return;
    case "retention_due":
      rows.setTimer("retention", event.atMs);
      return;
    case "purged":
      purge(state, rows);
      if (event.id === state.key) tellDirectory(state, { type: "deleted", id: event.id }, rows);
      else rows.send(directoryOf(state.tenant, "topic"), { type: "deleted", id: event.id });
      return;
  }
}

/** Active broadcasts are written once a commit. */
export function seal(state: State, rows: RowWriter): void {
  for (const transactionId of state.changed) {
    const broadcast = state.active.get(transactionId);
    if (broadcast) rows.put(activeRows, [transactionId], broadcast);
  }
  state.changed.clear();
}

/** Another number of members makes no version. */
function putTopic(state: State, topic: TopicRecord, rows: RowWriter): void {
  topicResource.store.put(state.records, topic, topic, rows);
}

function setBroadcast(state: State, broadcast: Broadcast): void {
  state.active.set(broadcast.transactionId, broadcast);
  state.changed.add(broadcast.transactionId);
}

function begin(broadcast: Broadcast, rows: RowWriter): void {
  rows.setTimer(`step:${broadcast.transactionId}`, rows.now);
  publishBroadcast(broadcast, rows);
}

function join(
  state: State,
  { topic, joined, seq, contextKeys }: Extract<Event, { type: "members_joined" }>,
  rows: RowWriter,
): void {
  putTopic(state, topic, rows);
  setSeq(state, seq, rows);
  for (const { subscriberId, member, before } of joined) {
    if (before) retire(topic.id, before.seq, before.keep, rows);
    rows.put(memberRows, [topic.id, subscriberId], member);
    rows.put(sequenceRows, [topic.id, member.seq], { subscriberId, contextKeys: member.contextKeys });
  }
  for (const [audience, subscriberIds] of byAudience(joined.map(({ subscriberId }) => subscriberId)))
    rows.send(addressOf(state, audience), {
      type: "subscriptions_put",
      topicId: topic.id,
      topicKey: topic.key,
      contextKeys,
      createdAt: rows.now,
      subscriberIds,
    });
}

function leave(
  state: State,
  topicId: string,
  topicKey: string,
  left: readonly Left[],
  rows: RowWriter,
): void {
  for (const { subscriberId, seq, keep } of left) {
    rows.delete(memberRows, [topicId, subscriberId]);
    retire(topicId, seq, keep, rows);
  }
  for (const [audience, subscriberIds] of byAudience(left.map(({ subscriberId }) => subscriberId)))
    rows.send(addressOf(state, audience), {
      type: "subscriptions_removed",
      topicId,
      topicKey,
      subscriberIds,
    });
}

/** A row of the past stays only while a broadcast needs it. */
function retire(topicId: string, seq: number, keep: SequenceRow | undefined, rows: RowWriter): void {
  if (keep) {
    rows.put(sequenceRows, [topicId, seq], keep);
    rows.put(leftRows, [topicId, seq], 1);
  } else rows.delete(sequenceRows, [topicId, seq]);
}

/** Cursor and messages are one commit: no part is lost, and none is sent twice. */
function expand(
  state: State,
  { broadcast, parts, manifest, again }: Extract<Event, { type: "expanded" }>,
  rows: RowWriter,
): void {
  const { transactionId } = broadcast;
  const known = progressOf(state, transactionId);
  const before = state.active.get(transactionId)!;
  for (const { audience, members } of parts) {
    const hasManifest = known.has(audience);
    const message: FanOut = {
      type: "fan_out",
      transactionId,
      topic: state.key,
      members,
      ...(!hasManifest && manifest && { manifest }),
    };
    rows.send(addressOf(state, audience), message);
    if (hasManifest) continue;
    known.set(audience, noProgress);
    rows.put(progressRows, [transactionId, audience], noProgress);
  }
  setBroadcast(state, broadcast);
  if (broadcast.state !== before.state) {
    publishBroadcast(broadcast, rows);
    rows.setTimer(`clean:${broadcast.topicId}`, rows.now);
  } else if (again) rows.setTimer(`step:${transactionId}`, rows.now);
}

function end(state: State, broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId } = broadcast;
  const before = state.active.get(transactionId)!;
  for (const audience of state.progress.get(transactionId)?.keys() ?? [])
    rows.send(addressOf(state, audience), { type: "fan_out_over", transactionId });
  state.active.delete(transactionId);
  state.progress.delete(transactionId);
  state.changed.delete(transactionId);
  rows.delete(activeRows, [transactionId]);
  rows.deletePrefix(progressRows, [transactionId]);
  rows.delete(manifestRows, [transactionId]);
  rows.put(broadcastRows, [transactionId], broadcast);
  rows.put(broadcastTimeRows, [broadcast.updatedAt, transactionId], 1);
  rows.setTimer("retention", rows.now + limits.deliveriesLookedAtMs);
  if (broadcast.state !== before.state) publishBroadcast(broadcast, rows);
}

function addressOf({ tenant }: State, audience: string): Address {
  return { kind: "audience", tenant, key: audience };
}

function publishBroadcast(broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId, state, topicKey, workflowKey } = broadcast;
  rows.publish(`broadcast.${state}`, transactionId, { topic_key: topicKey, workflow_key: workflowKey });
}

const ownRows = [
  seqRows,
  activeRows,
  progressRows,
  memberRows,
  sequenceRows,
  leftRows,
  droppingRows,
  manifestRows,
  broadcastRows,
  broadcastTimeRows,
];

/** Timers that are left find nothing. */
function purge(state: State, rows: RowWriter): void {
  topicResource.store.clear(state.records, rows);
  for (const collection of ownRows) rows.deletePrefix(collection, []);
  for (const map of [state.active, state.progress, state.changed]) map.clear();
  state.seq = 0;
}
