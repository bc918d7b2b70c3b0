import { limits, ulidTimeMs } from "#base";
import type { RowWriter } from "#runtime";
import type { Strategy } from "../router.ts";
import { type TableRow, tableRows } from "./rows.ts";
import type { State } from "./state.ts";

/**
 * A recorded decision: what was asked, what came of it, and every figure its strategy read, so that `verify` can decide
 * again. What all decisions of one routing table share (weights, tiers, …) is a row of its own, written once.
 */
export interface RoutingRecord {
  readonly recipientId: string;
  readonly version: number;
  readonly strategy: Strategy;
  readonly key: string;
  /** What the draw went by, where it is not the key; empty: the key. */
  readonly drawKey: string;
  readonly priority: number;
  readonly cost: number;
  readonly skills: Readonly<Record<string, number>>;
  readonly candidateCount: number;
  /** Which recipients of the table were candidates, as bits; empty: all of them. */
  readonly members: readonly number[];
  /** Figures per candidate, as the strategy reads them. */
  readonly inputs: readonly number[];
  readonly matchedRuleIds: readonly string[];
  readonly redirectedFrom: readonly string[];
  readonly reservedUntil: number;
  /** Instead of a table, where there are too many candidates to keep them all. */
  readonly sample: readonly SampleRow[];
  /** Of all candidates with their figures. */
  readonly digest: number;
  /** The promotion whose canary decided. */
  readonly candidateId: string | undefined;
}

export type SampleRow = readonly [
  id: string,
  weight: number,
  capacity: number,
  tier: number,
  inFlight: number,
  order: number,
  picks: number,
];

/** Shared by all decisions that have nothing to say there. */
export const none = Object.freeze({});

export function packRecord(record: RoutingRecord): readonly unknown[] {
  const { sample, digest, candidateId } = record;
  const packed: unknown[] = [
    record.recipientId,
    record.version,
    strategies.indexOf(record.strategy),
    record.key,
    record.drawKey,
    record.priority,
    record.cost,
    record.skills === none ? 0 : record.skills,
    record.candidateCount,
    listOrZero(record.members),
    listOrZero(record.inputs),
    listOrZero(record.matchedRuleIds),
    listOrZero(record.redirectedFrom),
    record.reservedUntil,
  ];
  if (sample.length > 0) packed.push(sample, digest);
  else if (candidateId !== undefined) packed.push(0, 0);
  if (candidateId !== undefined) packed.push(candidateId);
  return packed;
}

export function unpackRecord(packed: readonly unknown[]): RoutingRecord {
  const list = <T>(value: unknown) => (value === 0 ? [] : value) as readonly T[];
  return {
    recipientId: packed[0] as string,
    version: packed[1] as number,
    strategy: strategies[packed[2] as number]!,
    key: packed[3] as string,
    drawKey: packed[4] as string,
    priority: packed[5] as number,
    cost: packed[6] as number,
    skills: (packed[7] === 0 ? {} : packed[7]) as Record<string, number>,
    candidateCount: packed[8] as number,
    members: list(packed[9]),
    inputs: list(packed[10]),
    matchedRuleIds: list(packed[11]),
    redirectedFrom: list(packed[12]),
    reservedUntil: packed[13] as number,
    sample: list(packed[14] ?? 0),
    digest: (packed[15] as number | undefined) ?? 0,
    candidateId: packed[16] as string | undefined,
  };
}

/** Writes the table that decisions of this version refer to, once per bucket, so that both are forgotten together. */
export function recordTable(state: State, routingId: string, rows: RowWriter): void {
  const bucket = bucketOf(routingId);
  if (state.recordedBucket === bucket && state.recordedVersion === state.version) return;
  state.recordedBucket = bucket;
  state.recordedVersion = state.version;
  if (!state.timed.has(`bucket:${bucket}`)) {
    state.timed.add(`bucket:${bucket}`);
    rows.setTimer(`bucket:${bucket}`, (bucket + 1) * limits.routingBucketMs + limits.routingKeptMs);
  }
  if (state.recipients.size > limits.recordedCandidatesMax) return;
  const withSkills = state.strategy === "skills" || state.canary?.view.strategy === "skills";
  const recipients = state.sorted.map(
    ({ id, weight, capacity, tier, skills }): TableRow =>
      withSkills ? [id, weight, capacity, tier, skills] : [id, weight, capacity, tier],
  );
  rows.put(tableRows, [bucket, state.version], { recipients });
}

export function bucketKey(routingId: string): [number, string] {
  return [bucketOf(routingId), routingId];
}

export function bucketOf(routingId: string): number {
  const time = routingId.slice(0, 10);
  if (time !== lastTime) {
    lastBucket = Math.floor(ulidTimeMs(routingId) / limits.routingBucketMs);
    lastTime = time;
  }
  return lastBucket;
}

/** Of the last id that was looked at: ids of one millisecond share it. */
let lastTime = "";
let lastBucket = 0;

/** In the order of the numbers that stand for them in rows and messages. */
export const strategies: readonly Strategy[] = [
  "weighted_random",
  "round_robin",
  "least_loaded",
  "two_choice",
  "priority",
  "sticky_hash",
  "longest_idle",
  "skills",
];

function listOrZero(list: readonly unknown[]): unknown {
  return list.length === 0 ? 0 : list;
}
