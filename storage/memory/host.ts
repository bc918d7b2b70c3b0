import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Storage, StorageHost } from "../storage.ts";
import { MemoryStore, openMemory } from "./index.ts";
import { remoteMemory, serveMemory } from "./remote.ts";

interface MemoryBootstrap {
  readonly engine: "memory";
  readonly port: MessagePort;
}

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
      return { data: { engine: "memory", port: port2 } satisfies MemoryBootstrap, transfer: [port2] };
    },
    health: async () => ({ state: "healthy", detail: "storage is in memory: nothing survives a restart" }),
    close: async () => {
      for (const port of ports) port.close();
    },
  };
}

export function attachMemory(bootstrap: unknown): Storage {
  return remoteMemory((bootstrap as MemoryBootstrap).port);
}
