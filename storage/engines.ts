import type { BootstrapData } from "./bootstrap.ts";
import type { StorageSettings } from "./settings.ts";
import type { DataReport, Log, Storage, StorageHost } from "./storage.ts";

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

/** A worker's own storage, from the data of the bootstrap that its host gave it. */
export async function attachStorage(bootstrap: unknown, log: Log = toStandardError): Promise<Storage> {
  const data = bootstrap as BootstrapData;
  switch (data.engine) {
    case "memory":
      return (await import("./memory/host.ts")).attachMemory(data);
    case "embedded":
      return (await import("./embedded/index.ts")).attachEmbedded(data);
    case "cassandra":
      return (await import("./cassandra/index.ts")).attachCassandra(data, log);
  }
}

function toStandardError(sentence: string): void {
  process.stderr.write(`storage: ${sentence}\n`);
}

/** For `service data verify`: reads everything, changes nothing, and reports what it found. */
export async function verifyData(settings: StorageSettings): Promise<DataReport> {
  switch (settings.engine) {
    case "memory":
      return { found: true, sound: true, findings: ["The memory engine keeps nothing to verify."] };
    case "embedded":
      return (await import("./embedded/verify.ts")).verifyEmbedded(settings);
    case "cassandra":
      return (await import("./cassandra/index.ts")).verifyCassandra(settings);
  }
}

/** For `service storage migrate`: brings the stored data to this version and says in a sentence what it did. */
export async function migrateStorage(settings: StorageSettings): Promise<string> {
  if (settings.engine !== "cassandra") return `the ${settings.engine} engine needs no migration`;
  const { migrateCassandra } = await import("./cassandra/index.ts");
  const { from, to } = await migrateCassandra(settings);
  const { keyspace } = settings;
  return from === to
    ? `keyspace ${keyspace} has schema ${to} already`
    : `keyspace ${keyspace} went from schema ${from} to ${to}`;
}
