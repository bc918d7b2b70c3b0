/**
 * Storage in memory: for tests, for the simulator (which interferes with every operation) and for trying the service
 * out. Everything is lost with the process. Handles on one store compete for its shards as processes would.
 */
import type { Storage } from "../storage.ts";
import { MemoryHandle } from "./handle.ts";
import { type Interference, type Leftover, type Operation, undisturbed } from "./interference.ts";
import { MemoryJournal } from "./journal.ts";
import { MemoryObjects } from "./objects.ts";
import { MemoryStore } from "./store.ts";
import { MemoryTables } from "./tables.ts";

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
    journal: new MemoryJournal(handle),
    tables: new MemoryTables(handle),
    objects: new MemoryObjects(handle),
    crash: (fate) => handle.crash(fate),
    close: async () => handle.close(),
  };
}
