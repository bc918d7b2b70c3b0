/**
 * The thread that does all writes to the tables. It is never terminated: a thread ended inside an LMDB write leaves the
 * environment locked for the whole process. Flushes that wait together share one synced transaction.
 */
import { statfsSync } from "node:fs";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { limits } from "#base";
import type { StorageError } from "../error.ts";
import { type Question, type Reply, told } from "../port.ts";
import { nameThread } from "../thread-name.ts";
import { fullError, isFull, stopProcess } from "./durable.ts";
import { openEnvironment } from "./environment.ts";
import { changesIn, decodeFlush, type FlushPart } from "./flush-codec.ts";
import { watermarkKey } from "./row-key.ts";
import { damagedRow, openRow, rowChecksumBytes, sealRow } from "./row-value.ts";
import { Status } from "./status.ts";
import { pageBytes } from "./tables-file.ts";
import type { WriterData, WriterMessage, WriterReady } from "./writer-thread.ts";

nameThread("tables-writer");
const { path, status: statusBuffer } = workerData as WriterData;
const status = new Status(statusBuffer);
const database = openEnvironment(path);
const clients = new Set<MessagePort>();
let waiting: { port: MessagePort; question: Question<ArrayBuffer> }[] = [];

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
    if (waiting.length === 0) setImmediate(writeWaiting);
    waiting.push({ port, question });
  });
  port.on("close", () => clients.delete(port));
}

function writeWaiting(): void {
  const taken = waiting;
  // A close was first, and wrote them.
  if (taken.length === 0) return;
  waiting = [];
  const error = write(taken.map(({ question }) => question.request));
  for (const { port, question } of taken) {
    const { id } = question;
    port.postMessage((error ? { id, error: told(error) } : { id, result: null }) satisfies Reply);
  }
}

function write(flushes: readonly ArrayBuffer[]): StorageError | undefined {
  try {
    if (!hasRoom(flushes)) return refused(undefined);
    const reached = new Map<number, number>();
    database.transactionSync(() => {
      for (const flush of flushes) for (const part of decodeFlush(flush)) apply(part, reached);
    });
    for (const [shard, watermark] of reached) watermarks[shard] = watermark;
    status.tablesChanged();
    status.tablesFull = false;
    return;
  } catch (error) {
    if (!isFull(error)) stopProcess(`a transaction of the tables in ${path} failed: ${String(error)}`);
    return refused(error);
  }
}

/**
 * The driver is not let run into a full disk: a write that comes short it takes for a broken one, and another it words
 * into a buffer that may be too short for it, which ends the process sooner or later. So there is room for every page a
 * transaction can touch before it begins: of each row a leaf and the branch above it, and what is new.
 */
function hasRoom(flushes: readonly ArrayBuffer[]): boolean {
  let needed: number = limits.tablesRoomBytesMin;
  for (const flush of flushes) needed += changesIn(flush) * 2 * pageBytes + flush.byteLength * 2;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= needed;
}

function refused(cause: unknown): StorageError {
  status.tablesFull = true;
  return fullError(cause);
}

function apply({ shard, watermark, ranges, changes }: FlushPart, reached: Map<number, number>): void {
  const stored = reached.get(shard) ?? watermarks[shard]!;
  // A late flush of an earlier owner: its rows are stored already, perhaps in newer versions.
  if (watermark < stored) return;
  for (const { start, end } of ranges)
    for (const key of [...database.getKeys({ start, end })]) database.removeSync(key);
  for (const { key, stored: value } of changes) {
    if (value) put(key, value);
    else database.removeSync(key);
  }
  if (watermark === stored) return;
  const bytes = Buffer.allocUnsafe(8 + rowChecksumBytes);
  bytes.writeDoubleBE(watermark);
  put(watermarkKey(shard), bytes);
  reached.set(shard, watermark);
}

function put(key: string, stored: Buffer): void {
  sealRow(key, stored);
  database.putSync(key, stored);
}

function ready(): WriterReady {
  try {
    for (let shard = 0; shard < watermarks.length; shard++) watermarks[shard] = readWatermark(shard);
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

/** What waits is written first; then nothing holds the thread and it ends by itself. */
async function close(): Promise<void> {
  writeWaiting();
  for (const port of clients) port.close();
  await database.close();
  parentPort!.close();
}
