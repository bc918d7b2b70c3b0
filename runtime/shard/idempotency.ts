import { hash } from "node:crypto";
import { type Refusal, refuse } from "#base";
import type { Answer, IdempotencyRef } from "../ask.ts";
import type { AskOrigin, Cell, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { keyOf, shardPartition } from "./partition.ts";
import type { WantedRow } from "./reader.ts";
import type { Recorder } from "./recorder.ts";
import type { Shard } from "./shard.ts";

export const recordCollection = "~once";
/** Which entities took records in which period, so that old ones are found without reading all. */
export const recordPeriodsPartition = shardPartition("~once-periods");

/** Asks whose records are looked up together. */
const lookupsAtOnce = 64;
/**
 * Records are kept by the day in which they were written: those of a day are over together, and lie together. A look-up asks
 * for every day whose records may still count, which is today and yesterday.
 */
const periodMs = 86_400_000;
/** A character takes three bytes at most, a key 1,024. */
const scopeLengthMax = 300;

/** In this order, because names would be half of it. */
type StoredRecord = readonly [fingerprint: string, atMs: number, awaits: boolean, response: unknown];

/**
 * Looks up the records of the next asks in one read. Returns false when the cell must wait for it. The read stays open
 * until these asks have run: a record written meanwhile is then still in a layer of the buffer.
 */
export function lookUpRecords(shard: Shard, cell: Cell, resume: () => void): boolean {
  const works: Work[] = [];
  for (let i = 0; i < Math.min(cell.asks.length, lookupsAtOnce); i++) {
    const work = cell.asks.at(i)!;
    if ((work.origin as AskOrigin).idempotency !== undefined && work.record === undefined) works.push(work);
  }
  const nowMs = shard.now();
  const wanted = works.flatMap((work) =>
    wantedRecords(shard, work, (work.origin as AskOrigin).idempotency!, nowMs),
  );
  const each = wanted.length / works.length;
  cell.lookedUp = works.length;
  cell.lookupRead = shard.buffer.beginRead();
  let arrived = false;
  let returned = false;
  shard.reader.getMany(wanted, (failure, values) => {
    arrived = true;
    if (shard.status === "dropped") return;
    works.forEach((work, i) => {
      work.record = newest(values.slice(i * each, (i + 1) * each));
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
  shard: Shard,
  work: Work,
  ref: IdempotencyRef,
  done: (failure: unknown) => void,
): void {
  shard.reader.getMany(wantedRecords(shard, work, ref, shard.now()), (failure, values) => {
    work.record = newest(values);
    done(failure);
  });
}

/** An ask with a looked-up record has run. */
export function recordUsed(shard: Shard, cell: Cell): void {
  if (cell.lookedUp > 0 && --cell.lookedUp === 0) shard.buffer.endRead(cell.lookupRead);
}

/** The asks that were looked up will not run: the read that kept their records true ends. */
export function releaseLookups(cell: Cell): void {
  if (cell.lookedUp > 0) cell.shard.buffer.endRead(cell.lookupRead);
  cell.lookedUp = 0;
}

/** The stored answer to this request, a refusal, or nothing when it is new. */
export function findRecord(
  shard: Shard,
  work: Work,
  ref: IdempotencyRef,
  now: number,
): Replay | Refusal | undefined {
  const bytes = bufferedRecord(shard, work, ref, now) ?? work.record;
  if (!bytes) return undefined;
  const [fingerprint, atMs, awaits, response] = unpackValue(bytes) as StoredRecord;
  if (now - atMs >= shard.thread.limits.idempotencyKeptMs) return undefined;
  if (fingerprint !== ref.fingerprint) return reusedKey();
  return { answer: { response, replayed: true }, awaits };
}

interface Replay {
  readonly answer: Answer;
  readonly awaits: boolean;
}

export function writeRecord(
  recorder: Recorder,
  work: Work,
  ref: IdempotencyRef,
  record: { readonly response: unknown; readonly awaits: boolean },
): void {
  const { entity } = work;
  const value: StoredRecord = [ref.fingerprint, recorder.now, record.awaits, record.response];
  const period = periodOf(recorder.now);
  recorder.change(entity.partition(recordCollection), recordKey(work, ref, period), value);
  if (entity.recordPeriod === period) return;
  const { kind, tenant, key } = entity.address;
  const row = [period, kind, tenant, key];
  recorder.change(recordPeriodsPartition, keyOf(row), row);
}

export function periodOf(timeMs: number): number {
  return Math.floor(timeMs / periodMs);
}

export function reusedKey(): Refusal {
  return refuse("IDEMPOTENCY_KEY_REUSED", "this idempotency key was used with another request");
}

/** The places where a record that still counts may be, the newest first. */
function wantedRecords(shard: Shard, work: Work, ref: IdempotencyRef, nowMs: number): WantedRow[] {
  const partition = work.entity.partition(recordCollection);
  const rows: WantedRow[] = [];
  const oldest = periodOf(nowMs - shard.thread.limits.idempotencyKeptMs);
  for (let period = periodOf(nowMs); period >= oldest; period--)
    rows.push({ partition, key: recordKey(work, ref, period) });
  return rows;
}

/** The record as it stands in memory, which a look-up of a moment ago may not have seen. */
function bufferedRecord(shard: Shard, work: Work, ref: IdempotencyRef, now: number): Uint8Array | undefined {
  const partition = work.entity.partition(recordCollection);
  const oldest = periodOf(now - shard.thread.limits.idempotencyKeptMs);
  for (let period = periodOf(now); period >= oldest; period--) {
    const found = shard.turn.buffered(partition, recordKey(work, ref, period));
    if (found) return found;
  }
  return undefined;
}

function newest(records: readonly (Uint8Array | null)[]): Uint8Array | null {
  return records.find((record) => record !== null) ?? null;
}

/** A scope names its principal, and nobody bounds those: what may not fit into a key goes by its digest. */
function recordKey(work: Work, { scope }: IdempotencyRef, period: number): string {
  work.recordScope ??= keyOf([scope.length <= scopeLengthMax ? scope : hash("sha256", scope, "base64url")]);
  return periodKey(period) + work.recordScope;
}

/** Of two periods that follow each other: almost all that are asked for. */
const known = [
  { period: -1, key: "" },
  { period: -1, key: "" },
];

/** Keys of records of one period begin with this. */
export function periodKey(period: number): string {
  const slot = known[period & 1]!;
  if (slot.period !== period) {
    slot.period = period;
    slot.key = keyOf([period]);
  }
  return slot.key;
}
