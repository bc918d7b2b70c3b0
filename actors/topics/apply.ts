import { limits } from "#base";
import type { Address, RowWriter } from "#runtime";
import { type DirectoryEntry, type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import type { FanOut } from "../notify/manifest.ts";
import { type Broadcast, noProgress, type SequenceRow, type TopicRecord } from "./record.ts";
import { byAudience, type Event, type Left, progressOf, type State } from "./state.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "secret_drawn":
      state.secret = event.secret;
      rows.put("secret", [], event.secret);
      return;
    case "topic_put":
      if (state.topics.size === 0) tellDirectory(state, { type: "noted", entry: entryOf(state) }, rows);
      putTopic(state, event.topic, rows);
      if (event.told) publishTopic(event.topic, event.told, rows);
      return;
    case "topic_deleted":
      deleteTopic(state, event.topic, event.leftSeq, rows);
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
      else rows.delete("dropping", [event.topicId]);
      return;
    case "rows_cleaned":
      for (const seq of event.seqs) {
        rows.delete("sequence", [event.topicId, seq]);
        rows.delete("left", [event.topicId, seq]);
      }
      if (event.more) rows.setTimer(`clean:${event.topicId}`, rows.now);
      return;
    case "broadcast_accepted": {
      const { broadcast, manifest } = event;
      rows.put("manifests", [broadcast.transactionId], manifest);
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
      rows.put("progress", [broadcast.transactionId, audience], progress);
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
        rows.delete("broadcasts", [transactionId]);
        rows.delete("broadcast_times", [at, transactionId]);
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
    if (broadcast) rows.put("active", [transactionId], broadcast);
  }
  state.changed.clear();
}

function entryOf({ key }: State): DirectoryEntry {
  return { id: key, name: key };
}

/** Of entities; topics themselves have another one. */
function tellDirectory({ tenant }: State, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, "topic_entity"), message);
}

function putTopic(state: State, topic: TopicRecord, rows: RowWriter): void {
  state.topics.set(topic.key, topic);
  rows.put("topics", [topic.key], topic);
}

function setSeq(state: State, seq: number, rows: RowWriter): void {
  state.seq = seq;
  rows.put("seq", [], seq);
}

function setBroadcast(state: State, broadcast: Broadcast): void {
  state.active.set(broadcast.transactionId, broadcast);
  state.changed.add(broadcast.transactionId);
}

function begin(broadcast: Broadcast, rows: RowWriter): void {
  rows.setTimer(`step:${broadcast.transactionId}`, rows.now);
  publishBroadcast(broadcast, rows);
}

function deleteTopic(state: State, topic: TopicRecord, leftSeq: number, rows: RowWriter): void {
  state.topics.delete(topic.key);
  rows.delete("topics", [topic.key]);
  setSeq(state, leftSeq, rows);
  const told: DirectoryMessage = { type: "deleted", id: topic.id };
  rows.send(directoryOf(state.tenant, "topic"), told);
  rows.put("dropping", [topic.id], { topicKey: topic.key, leftSeq });
  rows.setTimer(`drop:${topic.id}`, rows.now);
  publishTopic(topic, "deleted", rows);
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
    rows.put("members", [topic.id, subscriberId], member);
    rows.put("sequence", [topic.id, member.seq], { subscriberId, contextKeys: member.contextKeys });
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
    rows.delete("members", [topicId, subscriberId]);
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
    rows.put("sequence", [topicId, seq], keep);
    rows.put("left", [topicId, seq], 1);
  } else rows.delete("sequence", [topicId, seq]);
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
    const told = known.has(audience);
    const message: FanOut = {
      type: "fan_out",
      transactionId,
      topic: state.key,
      members,
      ...(!told && manifest && { manifest }),
    };
    rows.send(addressOf(state, audience), message);
    if (told) continue;
    known.set(audience, noProgress);
    rows.put("progress", [transactionId, audience], noProgress);
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
  rows.delete("active", [transactionId]);
  rows.deletePrefix("progress", [transactionId]);
  rows.delete("manifests", [transactionId]);
  rows.put("broadcasts", [transactionId], broadcast);
  rows.put("broadcast_times", [broadcast.updatedAt, transactionId], 1);
  rows.setTimer("retention", rows.now + limits.deliveriesLookedAtMs);
  if (broadcast.state !== before.state) publishBroadcast(broadcast, rows);
}

function addressOf({ tenant }: State, audience: string): Address {
  return { kind: "audience", tenant, key: audience };
}

function publishTopic({ id, key }: TopicRecord, what: string, rows: RowWriter): void {
  rows.publish(`topic.${what}`, id, { key });
}

function publishBroadcast(broadcast: Broadcast, rows: RowWriter): void {
  const { transactionId, state, topicKey, workflowKey } = broadcast;
  rows.publish(`broadcast.${state}`, transactionId, { topic_key: topicKey, workflow_key: workflowKey });
}

const collections = [
  "secret",
  "topics",
  "seq",
  "active",
  "progress",
  "members",
  "sequence",
  "left",
  "dropping",
  "manifests",
  "broadcasts",
  "broadcast_times",
];

/** Timers that are left find nothing. */
function purge(state: State, rows: RowWriter): void {
  for (const collection of collections) rows.deletePrefix(collection, []);
  for (const map of [state.topics, state.active, state.progress, state.changed]) map.clear();
  state.secret = "";
  state.seq = 0;
}
