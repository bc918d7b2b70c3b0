/**
 * The thread that does all writes to the tables. It is never terminated: a thread ended inside an LMDB write leaves the
 * environment locked for the whole process. Flushes that wait together share one synced transaction.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { limits } from "#base";
import type { StorageError } from "../error.ts";
import { type Question, type Reply, told } from "../port.ts";
import { fullError, isFull, stopProcess } from "./durable.ts";
import { openEnvironment } from "./environment.ts";
import { decodeFlush, type FlushPart } from "./flush-codec.ts";
import { watermarkKey } from "./row-key.ts";
import { Status } from "./status.ts";
import type { WriterData, WriterMessage } from "./writer-thread.ts";

const { path, status: statusBuffer } = workerData as WriterData;
const status = new Status(statusBuffer);
const database = openEnvironment(path, false);
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
parentPort!.postMessage({ type: "ready", watermarks: readWatermarks() });

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
  waiting = [];
  const error = write(taken.map(({ question }) => question.request));
  for (const { port, question } of taken) {
    const { id } = question;
    port.postMessage((error ? { id, error: told(error) } : { id, result: null }) satisfies Reply);
  }
}

function write(flushes: readonly ArrayBuffer[]): StorageError | undefined {
  try {
    database.transactionSync(() => {
      for (const flush of flushes) for (const part of decodeFlush(flush)) apply(part);
    });
    status.tablesChanged();
    status.full = false;
    return;
  } catch (error) {
    if (!isFull(error)) stopProcess(`a transaction of the tables in ${path} failed: ${String(error)}`);
    status.full = true;
    return fullError(error);
  }
}

function apply({ shard, watermark, ranges, changes }: FlushPart): void {
  const stored = database.getBinary(watermarkKey(shard))?.readDoubleBE(0) ?? 0;
  // A late flush of an earlier owner: its rows are stored already, perhaps in newer versions.
  if (watermark < stored) return;
  for (const { start, end } of ranges)
    for (const key of [...database.getKeys({ start, end })]) database.removeSync(key);
  for (const { key, value } of changes) {
    if (value) database.putSync(key, value);
    else database.removeSync(key);
  }
  if (watermark > stored) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(watermark);
    database.putSync(watermarkKey(shard), bytes);
  }
}

function readWatermarks(): Float64Array {
  const watermarks = new Float64Array(limits.shardCount);
  for (let shard = 0; shard < watermarks.length; shard++)
    watermarks[shard] = database.getBinary(watermarkKey(shard))?.readDoubleBE(0) ?? 0;
  return watermarks;
}

/** What waits is written first; then nothing holds the thread and it ends by itself. */
async function close(): Promise<void> {
  if (waiting.length > 0) writeWaiting();
  for (const port of clients) port.close();
  await database.close();
  parentPort!.close();
}
