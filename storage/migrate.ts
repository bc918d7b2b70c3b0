import type { StorageSettings } from "./settings.ts";

/**
 * For `service storage migrate`: brings the stored data to this version and returns a sentence that says what it did.
 */
export async function migrateStorage(settings: StorageSettings): Promise<string> {
  switch (settings.engine) {
    case "memory":
    case "embedded":
      return `the ${settings.engine} engine needs no migration`;
    case "cassandra": {
      const { migrateCassandra } = await import("./cassandra/index.ts");
      const { from, to } = await migrateCassandra(settings);
      const { keyspace } = settings;
      return from === to
        ? `keyspace ${keyspace} has schema ${to} already`
        : `keyspace ${keyspace} went from schema ${from} to ${to}`;
    }
  }
}
