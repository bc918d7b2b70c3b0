import { assert } from "#base";
import type { StorageSettings } from "./settings.ts";
import type { Log, Storage, StorageHost, StorageSeat } from "./storage.ts";

/**
 * Starts what a process has once; call it in the main thread. An engine is loaded only when it is used, so that the
 * drivers of the others cost nothing.
 */
export async function startStorage(
  settings: StorageSettings,
  log: Log = toStandardError,
): Promise<StorageHost> {
  switch (settings.engine) {
    case "memory":
      return (await import("./memory/host.ts")).startMemory();
    case "embedded":
      return (await import("./embedded/index.ts")).startEmbedded(settings, log);
    case "cassandra":
      return (await import("./cassandra/index.ts")).startCassandra(settings, log);
  }
}

/** A worker's own storage, from the seat that its host gave it. */
export async function attachStorage(seat: StorageSeat["data"], log: Log = toStandardError): Promise<Storage> {
  assert(isSeatData(seat), "a seat names its engine");
  switch (seat.engine) {
    case "memory":
      return (await import("./memory/host.ts")).attachMemory(seat);
    case "embedded":
      return (await import("./embedded/index.ts")).attachEmbedded(seat);
    case "cassandra":
      return (await import("./cassandra/index.ts")).attachCassandra(seat, log);
  }
}

type SeatData = {
  [Engine in StorageSettings["engine"]]: { readonly engine: Engine };
}[StorageSettings["engine"]];

function isSeatData(seat: unknown): seat is SeatData {
  return typeof seat === "object" && seat !== null && "engine" in seat;
}

function toStandardError(sentence: string): void {
  process.stderr.write(`storage: ${sentence}\n`);
}
