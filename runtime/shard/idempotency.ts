import { limits, type Refusal, refuse } from "#base";
import type { Answer, IdempotencyRef } from "../ask.ts";
import type { AskOrigin, Cell, Entity, Work } from "./cell.ts";
import { packValue, unpackValue } from "./codec.ts";
import { type Key, keyOf, shardPartition } from "./partition.ts";
import type { Recorder } from "./recorder.ts";
import type { Shard } from "./shard.ts";

export const recordCollection = "~once";
/** Which entities took records in which hour, so that old ones are found without reading all. */
export const recordHoursPartition = shardPartition("~once-hours");

/** Asks whose records are looked up together. */
const lookupsAtOnce = 64;
export const hourMs = 3_600_000;

interface StoredRecord {
  readonly fingerprint: string;
  readonly atMs: number;
  readonly response: unknown;
  readonly awaits: boolean;
}

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
  const wanted = works.map((work) => ({
    partition: work.entity.partition(recordCollection),
    key: recordKey((work.origin as AskOrigin).idempotency!),
  }));
  cell.lookedUp = works.length;
  cell.lookupRead = shard.buffer.beginRead();
  let arrived = false;
  let returned = false;
  shard.reader.getMany(wanted, (failure, values) => {
    arrived = true;
    if (shard.status === "dropped") return;
    works.forEach((work, i) => {
      work.record = values[i] ?? null;
      if (failure !== undefined) work.recordFailed = true;
    });
    cell.blocked = false;
    if (returned) resume();
  });
  returned = true;
  if (!arrived) cell.blocked = true;
  return arrived;
}

/** An ask with a looked-up record has left the mailbox. */
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
  const partition = work.entity.partition(recordCollection);
  const buffered = shard.reader.buffered(partition, recordKey(ref));
  const bytes = buffered === undefined ? work.record : buffered;
  if (!bytes) return undefined;
  const record = unpackValue(bytes) as StoredRecord;
  if (now - record.atMs >= limits.idempotencyKeptMs) return undefined;
  if (record.fingerprint !== ref.fingerprint) return reusedKey();
  return { answer: { response: record.response, replayed: true }, awaits: record.awaits };
}

interface Replay {
  readonly answer: Answer;
  readonly awaits: boolean;
}

export function writeRecord(
  recorder: Recorder,
  entity: Entity,
  ref: IdempotencyRef,
  record: { readonly response: unknown; readonly awaits: boolean },
): void {
  const value: StoredRecord = { fingerprint: ref.fingerprint, atMs: recorder.now, ...record };
  recorder.change(entity.partition(recordCollection), recordKey(ref), packValue(value));
  const hour = Math.floor(recorder.now / hourMs);
  if (entity.recordHour === hour) return;
  const { kind, tenant, key } = entity.address;
  recorder.change(
    recordHoursPartition,
    keyOf([hour, kind, tenant, key]),
    packValue([hour, kind, tenant, key]),
  );
}

export function reusedKey(): Refusal {
  return refuse("IDEMPOTENCY_KEY_REUSED", "this idempotency key was used with another request");
}

function recordKey(ref: IdempotencyRef): Key {
  return keyOf([ref.scope]);
}
