/**
 * The thread that does all writes to the tables. It is never terminated: a thread ended inside an LMDB write leaves the
 * environment locked for the whole process. Flushes that wait together share one synced transaction.
 */
import { setImmediate as nextLoop } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { limits } from "#base";
import type { StorageError } from "../error.ts";
import { serve } from "../port.ts";
import { nameThread } from "../thread-name.ts";
import { fullError, isFull, stopProcess } from "./durable.ts";
import { openEnvironment } from "./environment.ts";
import type { FlushPart } from "./flush-codec.ts";
import { pageBytes } from "./pages.ts";
import { deleteRange, PendingFlush, sliceFor, smallSlice } from "./pending-flush.ts";
import { watermarkKey } from "./row-key.ts";
import { checksumOf, keyHash, rowChecksumBytes, sealRow } from "./row-value.ts";
import { Status } from "./status.ts";
import { diskFreeNow, freePages, hasRoom, neededFor, slicesOf } from "./tables-room.ts";
import { putWatermark, Totals, watermarkBytes } from "./totals.ts";
import type { TablesWriter, WriterData, WriterMessage } from "./writer-thread.ts";

nameThread("tables-writer");
const { path, status: statusBuffer, watermarks, totals: stored } = workerData as WriterData;
const status = new Status(statusBuffer);
const database = openEnvironment(path);
const totals = Totals.of(stored);
/** As they were before the present transaction, of the shards that it has changed. */
const before = new Totals();
const changed = new Set<number>();
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
status.tablesFreePages = freePages(database);
parentPort!.postMessage(null);

function addClient(port: MessagePort): void {
  clients.add(port);
  serve<TablesWriter>(port, {
    write: (flush) =>
      new Promise((resolve, reject) => {
        waiting.push({ flush: new PendingFlush(flush), resolve, reject });
        schedule();
      }),
  });
  port.on("close", () => clients.delete(port));
}

interface Job {
  readonly flush: PendingFlush;
  resolve(): void;
  reject(error: StorageError): void;
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
    if (error) job.reject(error);
    else if (job.flush.stored) job.resolve();
    else waiting.push(job);
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
  const free = diskFreeNow(path);
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
  transact(reached, () => {
    for (const flush of flushes) {
      const storedOf = (shard: number) => reached.get(shard) ?? watermarks[shard]!;
      if (!flush.deleteRanges(database, { ...slice }, storedOf, remove)) continue;
      for (const part of flush.parts) apply(part, reached);
      flush.stored = true;
    }
  });
}

/**
 * The watermark is written last: until then the journal has the rows. False: the disk is full; the whole part is stored
 * again later.
 */
function writeInSlices(part: FlushPart): boolean {
  const { shard, watermark, ranges, changes } = part;
  if (watermark < watermarks[shard]!) return true;
  if (watermark === watermarks[shard] && ranges.length > 0) return writeRepeated(part);
  const none = new Map<number, number>();
  for (const range of ranges)
    for (let isEmpty = false; !isEmpty; ) {
      if (!hasRoom(path, 0)) return false;
      isEmpty = transact(none, () =>
        deleteRange(database, range, smallSlice(), (key, old) => remove(shard, key, old)),
      );
    }
  for (const slice of slicesOf(changes)) {
    if (!hasRoom(path, slice.touched)) return false;
    transact(none, () => change(shard, slice.changes));
  }
  if (!hasRoom(path, 0)) return false;
  transact(new Map([[shard, watermark]]), () => undefined);
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
  const reached = new Map<number, number>();
  transact(reached, () => apply(part, reached));
  return true;
}

/** One synced transaction. With the rows of a shard, its totals change, and its watermark if it is in `reached`. */
function transact<T>(reached: ReadonlyMap<number, number>, work: () => T): T {
  changed.clear();
  try {
    const result = database.transactionSync(() => {
      const done = work();
      for (const shard of new Set([...changed, ...reached.keys()]))
        mark(shard, reached.get(shard) ?? watermarks[shard]!);
      return done;
    });
    for (const [shard, watermark] of reached) watermarks[shard] = watermark;
    return result;
  } catch (error) {
    for (const shard of changed) totals.take(shard, before);
    throw error;
  }
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
      for (const { key, value } of [...database.getRange({ start, end })]) remove(shard, key, value);
  change(shard, changes);
  if (watermark === stored) return;
  mark(shard, watermark);
  reached.set(shard, watermark);
}

function change(shard: number, changes: FlushPart["changes"]): void {
  for (const { key, stored } of changes) {
    if (stored) put(shard, key, stored);
    else {
      const old = database.getBinaryFast(key);
      if (old) remove(shard, key, old);
    }
  }
}

function put(shard: number, key: string, stored: Buffer): void {
  const old = database.getBinaryFast(key);
  touch(shard);
  if (old) totals.replaced(shard, checksumOf(old), checksumOf(stored));
  else totals.added(shard, keyHash(key), checksumOf(stored));
  database.putSync(key, stored);
}

function remove(shard: number, key: string, old: Buffer): void {
  touch(shard);
  totals.removed(shard, keyHash(key), checksumOf(old));
  database.removeSync(key);
}

function touch(shard: number): void {
  if (changed.has(shard)) return;
  changed.add(shard);
  before.take(shard, totals);
}

function mark(shard: number, watermark: number): void {
  const bytes = Buffer.allocUnsafe(watermarkBytes + rowChecksumBytes);
  const key = watermarkKey(shard);
  sealRow(bytes, 0, putWatermark(bytes, shard, watermark, totals), key);
  database.putSync(key, bytes);
}

/** Writes what waits. Then nothing keeps the thread alive, and it ends by itself. */
async function close(): Promise<void> {
  while (waiting.length > 0) {
    writeWaiting();
    // The answers are posted before the ports are closed.
    await nextLoop();
  }
  for (const port of clients) port.close();
  await database.close();
  parentPort!.close();
}
