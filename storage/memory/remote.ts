import type { MessagePort } from "node:worker_threads";
import { unreachable } from "#base";
import type { JournalBatch, JournalEntry, OpenedShard } from "../journal.ts";
import { PortClient, serve } from "../port.ts";
import type { Storage } from "../storage.ts";
import type { Row, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";

/** A worker's access to the store in the main thread: what it acknowledged outlives the worker. */
export function remoteMemory(port: MessagePort): Storage {
  const host = new PortClient<MemoryRequest>(port);
  return {
    journal: {
      open: (shards, view) => host.call<OpenedShard[]>({ type: "open", shards, view }),
      append: (batch) => host.call<void>({ type: "append", batch }),
      replay: async function* (shard, after) {
        yield* await host.call<JournalEntry[]>({ type: "replay", shard, after });
      },
      trim: (shard, epoch, upTo) => host.call<void>({ type: "trim", shard, epoch, upTo }),
    },
    tables: {
      get: async (key) => (await host.call<(Uint8Array | undefined)[]>({ type: "get", keys: [key] }))[0],
      getMany: (keys) => host.call<(Uint8Array | undefined)[]>({ type: "get", keys }),
      scan: (range) => host.call<Row[]>({ type: "scan", range }),
      watermark: (shard) => host.call<number>({ type: "watermark", shard }),
      write: (flush) => host.call<void>({ type: "write", flush }),
      measure: async ({ next, count }) => {
        const sizes = await host.call<ReadonlyMap<string, number>>({ type: "measure" });
        for (const [partition, bytes] of sizes) if (next(partition) === partition) count(partition, bytes);
      },
    },
    objects: {
      put: async (key, body) => host.call({ type: "putObject", key, body: await joined(body) }),
      get: async (key, range) => {
        const body = await host.call<Uint8Array | undefined>({
          type: "getObject",
          key,
          ...(range && { range }),
        });
        return body && chunks([body]);
      },
      delete: (key) => host.call<void>({ type: "deleteObject", key }),
    },
    close: async () => host.close(),
  };
}

/** Answers requests to a store of this thread. */
export function serveMemory(port: MessagePort, storage: Storage): void {
  serve<MemoryRequest>(port, (request) => answer(storage, request));
}

type MemoryRequest =
  | { readonly type: "open"; readonly shards: readonly number[]; readonly view: number }
  | { readonly type: "append"; readonly batch: JournalBatch }
  | { readonly type: "replay"; readonly shard: number; readonly after: number }
  | { readonly type: "trim"; readonly shard: number; readonly epoch: number; readonly upTo: number }
  | { readonly type: "get"; readonly keys: readonly RowKey[] }
  | { readonly type: "scan"; readonly range: RowRange }
  | { readonly type: "watermark"; readonly shard: number }
  | { readonly type: "write"; readonly flush: readonly ShardFlush[] }
  | { readonly type: "measure" }
  | { readonly type: "putObject"; readonly key: string; readonly body: Uint8Array }
  | { readonly type: "getObject"; readonly key: string; readonly range?: { start: number; end?: number } }
  | { readonly type: "deleteObject"; readonly key: string };

function answer({ journal, tables, objects }: Storage, request: MemoryRequest): unknown {
  switch (request.type) {
    case "open":
      return journal.open(request.shards, request.view);
    case "append":
      return journal.append(request.batch);
    case "replay":
      return collected(journal.replay(request.shard, request.after));
    case "trim":
      return journal.trim(request.shard, request.epoch, request.upTo);
    case "get":
      return tables.getMany(request.keys);
    case "scan":
      return tables.scan(request.range);
    case "watermark":
      return tables.watermark(request.shard);
    case "write":
      return tables.write(request.flush);
    case "measure":
      return sizesOf(tables);
    case "putObject":
      return objects.put(request.key, chunks([request.body]));
    case "getObject":
      return objects.get(request.key, request.range).then((body) => body && joined(body));
    case "deleteObject":
      return objects.delete(request.key);
    default:
      return unreachable(request);
  }
}

async function sizesOf(tables: Tables): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  await tables.measure({
    next: (partition) => partition,
    count: (partition, bytes) => sizes.set(partition, (sizes.get(partition) ?? 0) + bytes),
  });
  return sizes;
}

async function joined(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await collected(body));
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* chunks(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  for (const part of parts) if (part.length > 0) yield part;
}
