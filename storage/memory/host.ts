import type { Storage, StorageHost } from "../index.ts";
import { MemoryStore, openMemory } from "./index.ts";

/** Stores of this thread by host. Another thread that attaches finds none and gets one of its own. */
const stores = new Map<string, MemoryStore>();
let hosts = 0;

export interface MemorySeat {
  readonly engine: "memory";
  readonly host: string;
}

export function startMemory(): StorageHost {
  const host = `${process.pid}:${++hosts}`;
  return {
    seat: () => ({ data: { engine: "memory", host } satisfies MemorySeat, transfer: [] }),
    health: async () => ({ state: "healthy", detail: "in memory: nothing survives a restart" }),
    close: async () => void stores.delete(host),
  };
}

export function attachMemory(seat: unknown): Storage {
  const { host } = seat as MemorySeat;
  let store = stores.get(host);
  if (!store) {
    store = new MemoryStore();
    stores.set(host, store);
  }
  return openMemory(store);
}
