import { hash } from "node:crypto";
import type { Refusal } from "#base";
import type { Answer, IdempotencyRef } from "../ask.ts";
import { reusedKey } from "../refusals.ts";
import { ownShape } from "../row-shape.ts";
import type { AskWork, Cell, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { listing } from "./hours.ts";
import { keyOf, shardPartition } from "./partition.ts";
import type { ShardParts } from "./parts.ts";
import type { WantedRow } from "./reader.ts";
import type { Recorder } from "./recorder.ts";

const recordCollection = "~once";
export const recordShape = ownShape(recordCollection);
/** Which entities took records in which hour, so that old ones are found without reading all. */
export const recordHoursPartition = shardPartition("~once-hours");

/** Asks whose records are looked up together. */
const lookupsAtOnce = 64;
export const hourMs = 3_600_000;
/** A character takes three bytes at most, a key 1,024. */
const scopeLengthMax = 300;

/** In this order, because names would be half of it. */
type StoredRecord = readonly [fingerprint: string, atMs: number, awaits: boolean, response: unknown];

/**
 * Looks up the records of the next asks in one read. Returns false when the cell must wait for it. The read stays open
 * until these asks have run: a record written meanwhile is then still in a layer of the buffer.
 */
export function lookUpRecords(shard: ShardParts, cell: Cell, resume: () => void): boolean {
  const works: AskWork[] = [];
  const wanted: WantedRow[] = [];
  for (let i = 0; i < Math.min(cell.asks.length, lookupsAtOnce); i++) {
    const work = cell.asks.at(i)!;
    const { idempotency } = work.origin;
    if (idempotency === undefined || work.record !== undefined) continue;
    works.push(work);
    wanted.push(recordPlace(work, idempotency));
  }
  cell.lookedUp = works.length;
  cell.lookupRead = shard.buffer.beginRead();
  let arrived = false;
  let returned = false;
  shard.reader.getMany(wanted, (failure, values) => {
    arrived = true;
    if (shard.status === "dropped") return;
    works.forEach((work, i) => {
      work.record = values[i] ?? null;
      work.recordFailure = failure;
    });
    cell.blocked = false;
    if (returned) resume();
  });
  returned = true;
  if (!arrived) cell.blocked = true;
  return arrived;
}

/** Reads the record of one ask; its cell runs nothing else until `done`. */
export function readRecord(
  shard: ShardParts,
  work: Work,
  ref: IdempotencyRef,
  done: (failure: unknown) => void,
): void {
  shard.reader.getMany([recordPlace(work, ref)], (failure, [value]) => {
    work.record = value ?? null;
    done(failure);
  });
}

/** An ask with a looked-up record has run. */
export function recordUsed(shard: ShardParts, cell: Cell): void {
  if (cell.lookedUp > 0 && --cell.lookedUp === 0) shard.buffer.endRead(cell.lookupRead);
}

/** The asks that were looked up will not run: the read that kept their records true ends. */
export function releaseLookups({ buffer }: Pick<ShardParts, "buffer">, cell: Cell): void {
  if (cell.lookedUp > 0) buffer.endRead(cell.lookupRead);
  cell.lookedUp = 0;
}

/** The stored answer to this request, a refusal, or nothing when it is new. */
export function findRecord(
  shard: ShardParts,
  work: Work,
  ref: IdempotencyRef,
  now: number,
): Replay | Refusal | undefined {
  const { partition, key } = recordPlace(work, ref);
  const buffered = shard.turn.buffered(partition, key);
  const bytes = buffered === undefined ? work.record : buffered;
  if (!bytes) return undefined;
  const [fingerprint, atMs, awaits, response] = unpackValue(bytes, recordShape) as StoredRecord;
  if (now - atMs >= shard.thread.limits.idempotencyKeptMs) return undefined;
  if (fingerprint !== ref.fingerprint) return reusedKey();
  return { answer: { response, replayed: true }, awaits };
}

interface Replay {
  readonly answer: Answer;
  readonly awaits: boolean;
}

export function recordedAtMs(record: Uint8Array): number {
  const [, atMs] = unpackValue(record, recordShape) as StoredRecord;
  return atMs;
}

export function writeRecord(
  recorder: Recorder,
  work: Work,
  ref: IdempotencyRef,
  record: { readonly response: unknown; readonly awaits: boolean },
): void {
  const { entity } = work;
  const value: StoredRecord = [ref.fingerprint, recorder.now, record.awaits, kept(record.response, ref)];
  const { partition, key: recordKey } = recordPlace(work, ref);
  recorder.change(partition, recordKey, value);
  const hour = Math.floor(recorder.now / hourMs);
  if (entity.recordHour === hour) return;
  recorder.record(listing(recordHoursPartition, { hour, ...entity.address }));
}

function kept(response: unknown, { omit }: IdempotencyRef): unknown {
  if (omit === undefined) return response;
  const members = Object.entries(response as object).filter(([name]) => !omit.includes(name));
  return Object.fromEntries(members);
}

/** A scope names its principal, whose length is not bounded: what may not fit into a key goes by its digest. */
function recordPlace(work: Work, { scope }: IdempotencyRef): WantedRow {
  work.recordKey ??= keyOf([scope.length <= scopeLengthMax ? scope : hash("sha256", scope, "base64url")]);
  return { partition: work.entity.partition(recordCollection), key: work.recordKey };
}
