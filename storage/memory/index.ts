/**
 * Storage in memory: for tests, for the simulator (which interferes with every operation) and for trying the service
 * out. Everything is lost with the process. Handles on one store compete for its shards as processes would.
 */
import type { Objects, Storage } from "../storage.ts";
import { MemoryHandle } from "./handle.ts";
import { type Interference, type Leftover, type Operation, undisturbed } from "./interference.ts";
import { memoryJournal } from "./journal.ts";
import { MemoryStore } from "./store.ts";
import { memoryTables } from "./tables.ts";

export type { Interference, Leftover, Operation, SyncVerdict, Verdict } from "./interference.ts";
export { MemoryStore } from "./store.ts";

export interface MemoryStorage extends Storage {
  /** Kill -9 or loss of power; `fate` decides about written, unsynced batches (absent: lost). */
  crash(fate?: (operation: Operation) => Leftover): void;
}

export function openMemory(
  store = new MemoryStore(),
  interference: Interference = undisturbed,
): MemoryStorage {
  const handle = new MemoryHandle(store, interference);
  return {
    journal: memoryJournal(handle),
    tables: memoryTables(handle),
    objects: objectsOf(handle),
    crash: (fate) => handle.crash(fate),
    close: async () => handle.close(),
  };
}

function objectsOf(handle: MemoryHandle): Objects {
  const { objects } = handle.store;
  return {
    async put(key, body) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(Buffer.from(chunk));
      const bytes = Buffer.concat(chunks);
      return handle.run({ type: "putObject", key }, () => {
        objects.set(key, bytes);
        return { bytes: bytes.length };
      });
    },
    get: (key, range) =>
      handle.run({ type: "getObject", key }, () => {
        const bytes = objects.get(key);
        return bytes && oneChunk(bytes.subarray(range?.start ?? 0, range?.end));
      }),
    delete: (key) => handle.run({ type: "deleteObject", key }, () => void objects.delete(key)),
  };
}

export async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield Buffer.from(bytes);
}
