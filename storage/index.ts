/**
 * Durable facts. The Journal is the truth, Tables are derived from it, Objects hold large bodies; all three store bytes
 * and do not interpret them. A `StorageHost` lives in the main thread and owns what a process has once (the folder's
 * lock, the tables writer, the pool of connections). Each worker attaches with a bootstrap and gets its own `Storage`.
 */
export { attachStorage, migrateStorage, startStorage, verifyData } from "./engines.ts";
export { StorageError, type StorageErrorKind } from "./error.ts";
export type { Journal, JournalBatch, JournalEntry, OpenedShard } from "./journal.ts";
export type { Formats, MemberChange, MemberStore, StoredMember, StoredView } from "./members.ts";
export {
  type Interference,
  type Leftover,
  type MemoryStorage,
  MemoryStore,
  type Operation,
  openMemory,
  type SyncVerdict,
  type Verdict,
} from "./memory/index.ts";
export type { CassandraSettings, StorageSettings } from "./settings.ts";
export type {
  DataReport,
  Objects,
  Room,
  Storage,
  StorageBootstrap,
  StorageHealth,
  StorageHost,
} from "./storage.ts";
export type {
  ChosenPartitions,
  DeletedRange,
  Row,
  RowChange,
  RowKey,
  RowRange,
  ShardFlush,
  Tables,
} from "./tables.ts";
export { nameThread } from "./thread-name.ts";
