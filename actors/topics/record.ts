import { invalid, limits, type Refusal } from "#base";
import { type RowWriter, rowsOf } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { messageOf } from "../kit/message.ts";
import type { Message, Stored } from "../kit/record.ts";
import { Resident } from "../kit/resident.ts";
import type { RecordState, Resource } from "../kit/resource.ts";
import { lengthProblems } from "../notify/length.ts";
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
  messageOf: (topic) => messageOf(topic),
  missing: (key) => `there is no topic ${key}`,
  publishes: ({ key }) => ({ key }),
  after({ before, after }, state, rows) {
    if (before === null && state.records.size === 1)
      tellDirectory(
        state,
        "topic_entity",
        { type: "noted", entry: { id: state.key, name: state.key } },
        rows,
      );
    if (before && after === null) dropMembers(state, before, rows);
  },
};

export function topicSettings(
  { key, name = "", description = "", metadata = {} }: Message,
  before: TopicRecord | null,
): Omit<TopicRecord, keyof Stored> | Refusal {
  const problems = lengthProblems("metadata", metadata, limits.notifyMetadataBytesMax);
  if (problems.length > 0) return invalid(...problems);
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
  tellDirectory(state, "topic", { type: "deleted", id }, rows);
  rows.put(tables.dropping, [id], { topicKey, leftSeq });
  rows.setTimer(`drop:${id}`, rows.now);
}

export function setSeq(state: State, seq: number, rows: RowWriter): void {
  state.seq = seq;
  rows.put(tables.seq, [], seq);
}

/** Entities have a directory besides that of the topics. */
export function tellDirectory(
  { tenant }: State,
  kind: "topic" | "topic_entity",
  message: DirectoryMessage,
  rows: RowWriter,
): void {
  rows.send(directoryOf(tenant, kind), message);
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

export interface Broadcast
  extends Pick<Manifest, "transactionId" | "topicKey" | "workflowKey" | "workflowVersion" | "claimedAt"> {
  readonly topicId: string;
  readonly state:
    | "waiting"
    | "expanding"
    | "delivering"
    | "completed"
    | "completed_with_failures"
    | "cancelled";
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
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Of a broadcast in one audience, as it last told. */
export interface Progress {
  readonly parts: number;
  readonly tally: Tally;
}

export const noProgress: Progress = { parts: 0, tally: emptyTally };

type OfTopic = readonly [topic: string, seq: number];

/** All rows of the entity but those of its topics. */
export const tables = {
  seq: rowsOf<number, readonly []>("seq"),
  members: rowsOf<Member, readonly [topic: string, subscriber: string]>("members"),
  sequence: rowsOf<SequenceRow, OfTopic>("sequence"),
  /** Rows of the past that a broadcast needed when their members left. */
  left: rowsOf<1, OfTopic>("left"),
  /** Deleted topics whose members have not all left. */
  dropping: rowsOf<{ readonly topicKey: string; readonly leftSeq: number }>("dropping"),
  manifests: rowsOf<Manifest>("manifests"),
  active: rowsOf<Broadcast>("active"),
  progress: rowsOf<Progress, readonly [transaction: string, audience: string]>("progress"),
  /** Broadcasts that are over, and when they ended. */
  broadcasts: rowsOf<Broadcast>("broadcasts"),
  broadcastTimes: rowsOf<1, readonly [at: number, transaction: string]>("broadcast_times"),
};

/** Whether its members are still to be sent on. */
export function isExpanding({ state }: Broadcast): boolean {
  return state === "waiting" || state === "expanding";
}

const ownFields = ["topicId", "cutoff", "cursor", "partsSent", "partsAnswered", "tally", "claimedAt"];

export function broadcastMessage(broadcast: Broadcast): Message {
  const { members: expanded, ...counts } = broadcast.tally;
  return { ...messageOf(broadcast, ownFields), cutoff_sequence: broadcast.cutoff, expanded, ...counts };
}
