import { toRfc3339 } from "#base";
import { type Message, type Stored, stampsOf } from "../kit/record.ts";
import { emptyTally, type Manifest, type Tally } from "../notify/manifest.ts";
import type { JsonObject } from "../notify/outbound/types.ts";

export interface TopicRecord extends Stored {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly metadata: JsonObject;
  readonly memberCount: number;
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
