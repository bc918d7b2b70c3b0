import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import { type RowWriter, rowsOf } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { type Message, type Stored, stampsOf } from "../kit/record.ts";
import { Resident } from "../kit/resident.ts";
import type { RecordState, Resource } from "../kit/resource.ts";
import { emptyTally, type Manifest, type Tally } from "../notify/manifest.ts";
import type { JsonObject } from "../notify/outbound/types.ts";

export interface TopicRecord extends Stored {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: JsonObject;
  readonly memberCount: number;
}

/** Its topics by key. */
export interface State extends RecordState<Map<string, TopicRecord>> {
  readonly key: string;
  /** Joins, leaves and changes of context keys take the next one, whatever topic of this entity they are of. */
  seq: number;
  /** Broadcasts that are not over, in the order in which they were accepted. */
  readonly active: Map<string, Broadcast>;
  /** Of active broadcasts, by audience. */
  readonly progress: Map<string, Map<string, Progress>>;
  /** Active broadcasts that this commit has changed. */
  readonly changed: Set<string>;
}

/** By key. A change is answered when the directory and the audiences know of it. */
export const topicResource: Resource<TopicRecord, State> = {
  service: "TopicService",
  one: "Topic",
  many: "Topics",
  store: new Resident<TopicRecord>("topics", ({ key }) => key),
  idField: "key",
  awaitDelivery: true,
  settingsOf: topicSettings,
  messageOf: topicMessage,
  missing: (key) => `there is no topic ${key}`,
  publishes: ({ key }) => ({ key }),
  after({ before, after }, state, rows) {
    if (before === null && state.records.size === 1)
      tellDirectory(state, { type: "noted", entry: { id: state.key, name: state.key } }, rows);
    if (before && after === null) dropMembers(state, before, rows);
  },
};

export function topicSettings(
  { key, name = "", description = "", metadata = {} }: Message,
  before: TopicRecord | null,
): Omit<TopicRecord, keyof Stored> | Refusal {
  if (Buffer.byteLength(JSON.stringify(metadata)) > limits.notifyMetadataBytesMax) {
    const reason = `is longer than ${limits.notifyMetadataBytesMax} bytes as JSON`;
    return refuse("INVALID_ARGUMENT", `metadata ${reason}`, { fields: [{ field: "metadata", reason }] });
  }
  return {
    key: key as string,
    name: name as string,
    description: description as string,
    metadata: metadata as JsonObject,
    memberCount: before?.memberCount ?? 0,
  };
}

/** The members of a deleted topic leave, some at a time. */
function dropMembers(state: State, { id, key: topicKey }: TopicRecord, rows: RowWriter): void {
  const leftSeq = state.seq + 1;
  setSeq(state, leftSeq, rows);
  rows.send(directoryOf(state.tenant, "topic"), { type: "deleted", id } satisfies DirectoryMessage);
  rows.put(droppingRows, [id], { topicKey, leftSeq });
  rows.setTimer(`drop:${id}`, rows.now);
}

export function setSeq(state: State, seq: number, rows: RowWriter): void {
  state.seq = seq;
  rows.put(seqRows, [], seq);
}

/** Of entities; topics themselves have another one. */
export function tellDirectory({ tenant }: State, message: DirectoryMessage, rows: RowWriter): void {
  rows.send(directoryOf(tenant, "topic_entity"), message);
}

export function topicMessage(topic: TopicRecord): Message {
  return {
    id: topic.id,
    key: topic.key,
    name: topic.name,
    description: topic.description,
    metadata: topic.metadata,
    member_count: topic.memberCount,
    ...stampsOf(topic),
  };
}

/** A member by its id, and by the sequence with which it joined or last changed its context keys. */
export interface Member {
  readonly seq: number;
  readonly contextKeys: readonly string[];
  readonly joinedAt: number;
}

export interface SequenceRow {
  readonly subscriberId: string;
  readonly contextKeys: readonly string[];
  /** It has left, or has another row: broadcasts whose cut-off is before this still send to it. */
  readonly leftSeq?: number;
}

export type BroadcastState =
  | "waiting"
  | "expanding"
  | "delivering"
  | "completed"
  | "completed_with_failures"
  | "cancelled";

export interface Broadcast {
  readonly transactionId: string;
  readonly topicId: string;
  readonly topicKey: string;
  readonly workflowKey: string;
  readonly workflowVersion: number;
  readonly state: BroadcastState;
  /** Members with a higher sequence are not reached. */
  readonly cutoff: number;
  readonly memberCount: number;
  /** Members up to this sequence are with their audiences. */
  readonly cursor: number;
  /** Messages to audiences, and those that were answered. */
  readonly partsSent: number;
  readonly partsAnswered: number;
  /** Over all audiences. */
  readonly tally: Tally;
  /** As of its manifest. */
  readonly claimedAt?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const seqRows = rowsOf<number, readonly []>("seq");
export const memberRows = rowsOf<Member, readonly [topic: string, subscriber: string]>("members");
export const sequenceRows = rowsOf<SequenceRow, readonly [topic: string, seq: number]>("sequence");
/** Rows of the past that a broadcast needed when their members left. */
export const leftRows = rowsOf<1, readonly [topic: string, seq: number]>("left");
/** Deleted topics whose members have not all left. */
export const droppingRows = rowsOf<{ readonly topicKey: string; readonly leftSeq: number }>("dropping");
export const manifestRows = rowsOf<Manifest>("manifests");
export const activeRows = rowsOf<Broadcast>("active");
export const progressRows = rowsOf<Progress, readonly [transaction: string, audience: string]>("progress");
/** Broadcasts that are over, and when they ended. */
export const broadcastRows = rowsOf<Broadcast>("broadcasts");
export const broadcastTimeRows = rowsOf<1, readonly [at: number, transaction: string]>("broadcast_times");

/** Of a broadcast in one audience, as it last told. */
export interface Progress {
  readonly parts: number;
  readonly tally: Tally;
}

export const noProgress: Progress = { parts: 0, tally: emptyTally };

export function newBroadcast(
  { transactionId, workflowKey, workflowVersion, claimedAt }: Manifest,
  { id: topicId, key: topicKey, memberCount }: TopicRecord,
  cutoff: number,
  state: BroadcastState,
  now: number,
): Broadcast {
  return {
    transactionId,
    topicId,
    topicKey,
    workflowKey,
    workflowVersion,
    state,
    cutoff,
    memberCount,
    cursor: 0,
    partsSent: 0,
    partsAnswered: 0,
    tally: emptyTally,
    ...(claimedAt !== undefined && { claimedAt }),
    createdAt: now,
    updatedAt: now,
  };
}

/** Whether its members are still to be sent on. */
export function isExpanding({ state }: Broadcast): boolean {
  return state === "waiting" || state === "expanding";
}

export function broadcastMessage(broadcast: Broadcast): Message {
  const { tally } = broadcast;
  return {
    transaction_id: broadcast.transactionId,
    workflow_key: broadcast.workflowKey,
    topic_key: broadcast.topicKey,
    state: broadcast.state,
    cutoff_sequence: broadcast.cutoff,
    member_count: broadcast.memberCount,
    expanded: tally.members,
    deliveries: tally.deliveries,
    sent: tally.sent,
    failed: tally.failed,
    skipped: tally.skipped,
    workflow_version: broadcast.workflowVersion,
    created_at: toRfc3339(broadcast.createdAt),
    updated_at: toRfc3339(broadcast.updatedAt),
  };
}
