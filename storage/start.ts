import { assert } from "#base";
import type { StorageSettings } from "./settings.ts";
import type { Log, Storage, StorageBootstrap, StorageHost } from "./storage.ts";

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

/** A worker's own storage, from the bootstrap that its host gave it. */
export async function attachStorage(
  bootstrap: StorageBootstrap["data"],
  log: Log = toStandardError,
): Promise<Storage> {
  assert(isBootstrapData(bootstrap), "a bootstrap names its engine");
  switch (bootstrap.engine) {
    case "memory":
      return (await import("./memory/host.ts")).attachMemory(bootstrap);
    case "embedded":
      return (await import("./embedded/index.ts")).attachEmbedded(bootstrap);
    case "cassandra":
      return (await import("./cassandra/index.ts")).attachCassandra(bootstrap, log);
  }
}

type BootstrapData = {
  [Engine in StorageSettings["engine"]]: { readonly engine: Engine };
}[StorageSettings["engine"]];

function isBootstrapData(bootstrap: unknown): bootstrap is BootstrapData {
  return typeof bootstrap === "object" && bootstrap !== null && "engine" in bootstrap;
}

function toStandardError(sentence: string): void {
  process.stderr.write(`storage: ${sentence}\n`);
}
