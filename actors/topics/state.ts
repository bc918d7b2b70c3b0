import { handleOfChild } from "#base";
import { type Address, isRowOf, type StoredRow } from "#runtime";
import type { RecordChanged } from "../kit/state.ts";
import type { FanOutMember, Manifest } from "../notify/manifest.ts";
import {
  activeRows,
  type Broadcast,
  type Member,
  type Progress,
  progressRows,
  type SequenceRow,
  type State,
  seqRows,
  type TopicRecord,
  topicResource,
} from "./record.ts";

export type Event =
  | RecordChanged<TopicRecord>
  | {
      readonly type: "members_joined";
      readonly topic: TopicRecord;
      readonly joined: readonly Joined[];
      readonly seq: number;
      readonly contextKeys: readonly string[];
    }
  | {
      readonly type: "members_left";
      readonly topic: TopicRecord;
      readonly left: readonly Left[];
      readonly seq: number;
    }
  /** Members of a deleted topic, some at a time. */
  | {
      readonly type: "members_dropped";
      readonly topicId: string;
      readonly topicKey: string;
      readonly left: readonly Left[];
      readonly more: boolean;
    }
  | {
      readonly type: "rows_cleaned";
      readonly topicId: string;
      readonly seqs: readonly number[];
      readonly more: boolean;
    }
  | { readonly type: "broadcast_accepted"; readonly broadcast: Broadcast; readonly manifest: Manifest }
  | { readonly type: "broadcast_put"; readonly broadcast: Broadcast }
  | {
      readonly type: "expanded";
      readonly broadcast: Broadcast;
      readonly parts: readonly Part[];
      /** For audiences that do not have it yet. */
      readonly manifest: Manifest | null;
      readonly again: boolean;
    }
  | {
      readonly type: "progressed";
      readonly broadcast: Broadcast;
      readonly audience: string;
      readonly progress: Progress;
    }
  | { readonly type: "broadcast_cancelled"; readonly broadcast: Broadcast }
  | { readonly type: "broadcast_over"; readonly broadcast: Broadcast }
  | { readonly type: "step_due"; readonly transactionId: string }
  | { readonly type: "broadcasts_forgotten"; readonly broadcasts: readonly (readonly [number, string])[] }
  | { readonly type: "retention_due"; readonly atMs: number }
  | { readonly type: "purged"; readonly id: string };

export interface Joined {
  readonly subscriberId: string;
  readonly member: Member;
  /** The row that is of no use to anybody, or still of use to a broadcast. */
  readonly before?: { readonly seq: number; readonly keep?: SequenceRow };
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
  return {
    tenant,
    key,
    records: new Map(),
    seq: 0,
    active: new Map(),
    progress: new Map(),
    changed: new Set(),
  };
}

export const resident = [topicResource.store.resident, seqRows, activeRows, progressRows];

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, seqRows)) state.seq = row.value;
  else if (isRowOf(row, activeRows)) state.active.set(row.key[0], row.value);
  else if (isRowOf(row, progressRows)) progressOf(state, row.key[0]).set(row.key[1], row.value);
  else topicResource.store.restore(state.records, row);
}

export function progressOf(state: State, transactionId: string): Map<string, Progress> {
  const known = state.progress.get(transactionId) ?? new Map<string, Progress>();
  state.progress.set(transactionId, known);
  return known;
}

/** Every subscriber's id says which audience has it. */
export function byAudience(subscriberIds: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const id of subscriberIds) {
    const audience = handleOfChild(id);
    const ids = found.get(audience);
    if (ids) ids.push(id);
    else found.set(audience, [id]);
  }
  return found;
}
