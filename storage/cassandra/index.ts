/** Storage on Cassandra: journal, tables and objects of many nodes in one keyspace. */
import { StorageError } from "../error.ts";
import type { CassandraSettings, Storage, StorageHost } from "../index.ts";

export async function startCassandra(settings: CassandraSettings): Promise<StorageHost> {
  throw new StorageError("unavailable", `no engine for ${settings.contactPoints.join(", ")} yet`);
}

export async function attachCassandra(_seat: unknown): Promise<Storage> {
  throw new StorageError("unavailable", "no engine yet");
}
