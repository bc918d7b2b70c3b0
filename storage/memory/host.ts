import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { MemoryBootstrap } from "../bootstrap.ts";
import type { Journal, JournalEntry } from "../journal.ts";
import { PortClient, serve } from "../port.ts";
import type { Objects, Storage, StorageHost } from "../storage.ts";
import type { Tables } from "../tables.ts";
import { MemoryStore, oneChunk, openMemory } from "./index.ts";

/** The store lives in this thread; workers reach it through their port. */
export function startMemory(): StorageHost {
  const store = new MemoryStore();
  const ports = new Set<MessagePort>();
  return {
    bootstrap: () => {
      const { port1, port2 } = new MessageChannel();
      ports.add(port1);
      port1.on("close", () => ports.delete(port1));
      serveMemory(port1, openMemory(store));
      return { data: { engine: "memory", port: port2 }, transfer: [port2] };
    },
    health: async () => ({ state: "healthy", detail: "storage is in memory: nothing survives a restart" }),
    close: async () => {
      for (const port of ports) port.close();
    },
  };
}

/** What workers ask of the store in the main thread; streams are sent as a whole. */
interface Operations
  extends Pick<Journal, "open" | "append" | "trim">,
    Pick<Tables, "getMany" | "scan" | "watermark" | "write"> {
  replay(shard: number, after: number): Promise<readonly JournalEntry[]>;
  sizes(): Promise<ReadonlyMap<string, number>>;
  putObject(key: string, body: Uint8Array): ReturnType<Objects["put"]>;
  getObject(...args: Parameters<Objects["get"]>): Promise<Uint8Array | undefined>;
  deleteObject(key: string): Promise<void>;
}

/** A worker's access to the store in the main thread: what it acknowledged outlives the worker. */
export function attachMemory({ port }: MemoryBootstrap): Storage {
  const host = new PortClient<Operations>(port);
  return {
    journal: {
      open: (...args) => host.call("open", args),
      append: (...args) => host.call("append", args),
      replay: async function* (...args) {
        yield* await host.call("replay", args);
      },
      trim: (...args) => host.call("trim", args),
    },
    tables: {
      get: async (key) => (await host.call("getMany", [[key]]))[0],
      getMany: (...args) => host.call("getMany", args),
      scan: (...args) => host.call("scan", args),
      watermark: (...args) => host.call("watermark", args),
      write: (...args) => host.call("write", args),
      measure: async ({ next, count }) => {
        const sizes = await host.call("sizes", []);
        for (const [partition, bytes] of sizes) if (next(partition) === partition) count(partition, bytes);
      },
    },
    objects: {
      put: async (key, body) => host.call("putObject", [key, await joined(body)]),
      get: async (...args) => {
        const body = await host.call("getObject", args);
        return body && oneChunk(body);
      },
      delete: (...args) => host.call("deleteObject", args),
    },
    close: async () => host.close(),
  };
}

function serveMemory(port: MessagePort, { journal, tables, objects }: Storage): void {
  serve<Operations>(port, {
    open: (...args) => journal.open(...args),
    append: (...args) => journal.append(...args),
    replay: (...args) => collected(journal.replay(...args)),
    trim: (...args) => journal.trim(...args),
    getMany: (...args) => tables.getMany(...args),
    scan: (...args) => tables.scan(...args),
    watermark: (...args) => tables.watermark(...args),
    write: (...args) => tables.write(...args),
    sizes: () => sizesOf(tables),
    putObject: (key, body) => objects.put(key, oneChunk(body)),
    getObject: async (...args) => {
      const body = await objects.get(...args);
      return body && joined(body);
    },
    deleteObject: (...args) => objects.delete(...args),
  });
}

async function sizesOf(tables: Tables): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  await tables.measure({
    next: (partition) => partition,
    count: (partition, bytes) => sizes.set(partition, (sizes.get(partition) ?? 0) + bytes),
  });
  return sizes;
}

async function joined(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await collected(body));
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
