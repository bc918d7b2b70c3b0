/**
 * The thread that does all writes to the tables. It is never terminated: a thread ended inside an LMDB write leaves the
 * environment locked for the whole process. Flushes that wait together share one synced transaction.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { limits } from "#base";
import type { StorageError } from "../error.ts";
import { type Question, type Reply, told } from "../port.ts";
import { nameThread } from "../thread-name.ts";
import { fullError, isFull, stopProcess } from "./durable.ts";
import { openEnvironment } from "./environment.ts";
import type { FlushPart } from "./flush-codec.ts";
import { deleteRange, PendingFlush, sliceFor, smallSlice } from "./pending-flush.ts";
import { watermarkKey } from "./row-key.ts";
import { damagedRow, keyHash, openRow, rowChecksumBytes, sealRow } from "./row-value.ts";
import { Status } from "./status.ts";
import { pageBytes } from "./tables-file.ts";
import { diskFree, freePages, hasRoom, neededFor, slicesOf } from "./tables-room.ts";
import type { WriterData, WriterMessage, WriterReady } from "./writer-thread.ts";

nameThread("tables-writer");
const { path, status: statusBuffer } = workerData as WriterData;
const status = new Status(statusBuffer);
const database = openEnvironment(path);
const clients = new Set<MessagePort>();
let waiting: Job[] = [];
let scheduled = false;

parentPort!.on("message", (message: WriterMessage) => {
  switch (message.type) {
    case "client":
      return addClient(message.port);
    case "close":
      return void close();
  }
});
const watermarks = new Float64Array(limits.shardCount);
parentPort!.postMessage(ready() satisfies WriterReady);

function addClient(port: MessagePort): void {
  clients.add(port);
  port.on("message", (question: Question<ArrayBuffer>) => {
    waiting.push({ port, id: question.id, flush: new PendingFlush(question.request) });
    schedule();
  });
  port.on("close", () => clients.delete(port));
}

interface Job {
  readonly port: MessagePort;
  readonly id: number;
  readonly flush: PendingFlush;
}

function schedule(): void {
  if (!scheduled) setImmediate(writeWaiting);
  scheduled = true;
}

/**
 * Writes all waiting flushes in one transaction. A flush whose range deletes exceed a slice stays in the queue for the
 * next one.
 */
function writeWaiting(): void {
  scheduled = false;
  const taken = waiting;
  // A close came first and wrote them.
  if (taken.length === 0) return;
  waiting = [];
  const error = write(taken.map(({ flush }) => flush));
  for (const job of taken) {
    const { port, id, flush } = job;
    if (error === undefined && !flush.stored) waiting.push(job);
    else port.postMessage((error ? { id, error: told(error) } : { id, result: null }) satisfies Reply);
  }
  if (waiting.length > 0) schedule();
}

function write(flushes: readonly PendingFlush[]): StorageError | undefined {
  try {
    const stored = writeIntoRoom(flushes);
    // Set even if only a part of them was written.
    status.tablesChanged();
    status.tablesFreePages = freePages(database);
    if (!stored) return refused(undefined);
    // While the reserve is in use, the host decides when there is room again.
    if (!status.reserveInUse) status.tablesFull = false;
    return;
  } catch (error) {
    if (!isFull(error)) stopProcess(`a transaction of the tables in ${path} failed: ${String(error)}`);
    return refused(error);
  }
}

/**
 * In one transaction if the disk has the room. Otherwise, if free pages of the file make up for it or the reserve is in
 * use, in small ones: a reader may keep free pages from being reused, so the disk needs room for all that one
 * transaction touches.
 */
function writeIntoRoom(flushes: readonly PendingFlush[]): boolean {
  const needed = neededFor(flushes);
  const free = diskFree(path);
  if (free >= needed) {
    writeTogether(flushes);
    return true;
  }
  if (!status.reserveInUse && free + status.tablesFreePages * pageBytes < needed) return false;
  return flushes.every((flush) => {
    flush.stored = flush.parts.every(writeInSlices);
    return flush.stored;
  });
}

function writeTogether(flushes: readonly PendingFlush[]): void {
  const reached = new Map<number, number>();
  const slice = sliceFor(flushes);
  database.transactionSync(() => {
    for (const flush of flushes) {
      if (!flush.deleteRanges(database, { ...slice }, (shard) => reached.get(shard) ?? watermarks[shard]!))
        continue;
      for (const part of flush.parts) apply(part, reached);
      flush.stored = true;
    }
  });
  for (const [shard, watermark] of reached) watermarks[shard] = watermark;
}

/**
 * The watermark is written last: until then the journal has the rows. False: the disk is full; the whole part is stored
 * again later.
 */
function writeInSlices(part: FlushPart): boolean {
  const { shard, watermark, ranges, changes } = part;
  if (watermark < watermarks[shard]!) return true;
  if (watermark === watermarks[shard] && ranges.length > 0) return writeRepeated(part);
  for (const range of ranges)
    for (let isEmpty = false; !isEmpty; ) {
      if (!hasRoom(path, 0)) return false;
      isEmpty = database.transactionSync(() => deleteRange(database, range, smallSlice()));
    }
  for (const slice of slicesOf(changes)) {
    if (!hasRoom(path, slice.touched)) return false;
    database.transactionSync(() => change(slice.changes));
  }
  if (!hasRoom(path, 0)) return false;
  database.transactionSync(() => mark(shard, watermark));
  watermarks[shard] = watermark;
  return true;
}

/**
 * The part may be stored already, and then the journal no longer has the rows that it puts into its ranges. So it
 * deletes and puts in one transaction, as `apply` does.
 */
function writeRepeated(part: FlushPart): boolean {
  let touched = limits.tablesSliceBytesMax * 4;
  for (const slice of slicesOf(part.changes)) touched += slice.touched;
  if (!hasRoom(path, touched)) return false;
  database.transactionSync(() => apply(part, new Map()));
  return true;
}

function refused(cause: unknown): StorageError {
  status.tablesFull = true;
  return fullError(cause);
}

function apply({ shard, watermark, ranges, changes }: FlushPart, reached: Map<number, number>): void {
  const stored = reached.get(shard) ?? watermarks[shard]!;
  // A late flush of an earlier owner: its rows are stored already, perhaps in newer versions.
  if (watermark < stored) return;
  // The flush is stored already and is repeated. The range delete also removes rows that the flush itself put into the
  // range, so both happen in one transaction. In a new flush the ranges were deleted before, slice by slice.
  if (watermark === stored)
    for (const { start, end } of ranges)
      for (const key of [...database.getKeys({ start, end })]) database.removeSync(key);
  change(changes);
  if (watermark === stored) return;
  mark(shard, watermark);
  reached.set(shard, watermark);
}

function change(changes: FlushPart["changes"]): void {
  for (const { key, stored } of changes) {
    if (stored) database.putSync(key, stored);
    else database.removeSync(key);
  }
}

function mark(shard: number, watermark: number): void {
  const bytes = Buffer.allocUnsafe(8 + rowChecksumBytes);
  const key = watermarkKey(shard);
  sealRow(bytes, 0, bytes.writeDoubleBE(watermark), keyHash(key));
  database.putSync(key, bytes);
}

function ready(): WriterReady {
  try {
    for (let shard = 0; shard < watermarks.length; shard++) watermarks[shard] = readWatermark(shard);
    status.tablesFreePages = freePages(database);
    return { watermarks: watermarks.slice() };
  } catch (error) {
    return { error: told(error) };
  }
}

function readWatermark(shard: number): number {
  const key = watermarkKey(shard);
  const stored = database.getBinary(key);
  if (!stored) return 0;
  const value = openRow(key, stored);
  if (value?.length !== 8) throw damagedRow(shard, key);
  return value.readDoubleBE(0);
}

/** Writes what waits. Then nothing keeps the thread alive, and it ends by itself. */
async function close(): Promise<void> {
  while (waiting.length > 0) writeWaiting();
  for (const port of clients) port.close();
  await database.close();
  parentPort!.close();
}
