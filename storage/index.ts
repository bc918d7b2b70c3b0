/**
 * Facts on disk. Journal is the truth, Tables are derived from it, Objects hold large bodies; all three know bytes only.
 * A `StorageHost` lives in the main thread and owns what a process has once (the folder's lock, the tables writer, the
 * pool of connections); each worker attaches with a seat and gets its own `Storage`.
 */
import type { Journal } from "./journal.ts";
import type { Objects } from "./objects.ts";
import type { Tables } from "./tables.ts";

export { StorageError, type StorageErrorKind } from "./error.ts";
export type { Journal, JournalBatch, JournalEntry, OpenedShard } from "./journal.ts";
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
export { migrateStorage } from "./migrate.ts";
export type { Objects } from "./objects.ts";
export { attachStorage, startStorage } from "./start.ts";
export type { DeletedRange, Row, RowChange, RowKey, RowRange, ShardFlush, Tables } from "./tables.ts";
export { nameThread } from "./thread-name.ts";
export { type DataReport, verifyData } from "./verify.ts";

export interface Storage {
  readonly journal: Journal;
  readonly tables: Tables;
  readonly objects: Objects;
  /** Absent: the engine cannot tell how much room there is. */
  readonly room?: Room;
  close(): Promise<void>;
}

/** The room on the disk, as far as all threads know. */
export interface Room {
  /** Only commands that make room may write now. Others are refused before they are decided. */
  readonly full: boolean;
  /** Gives up the room that is kept for them. An append under way that meets a full disk waits for it and is tried again. */
  useReserve(): Promise<void>;
}

export type StorageSettings =
  | { readonly engine: "memory" }
  | { readonly engine: "embedded"; readonly dir: string }
  | ({ readonly engine: "cassandra" } & CassandraSettings);

export interface CassandraSettings {
  readonly contactPoints: readonly string[];
  readonly keyspace: string;
  readonly localDataCenter: string;
  readonly replicationFactor: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}

export interface StorageHost {
  /**
   * The membership version that this start opens its shards on. Where several processes can reach the store, a later
   * start has a higher one: who was replaced cannot take back what is no longer its own.
   */
  readonly view: number;
  /** What a worker needs to attach: structured-cloneable data and the ports to transfer with it. */
  seat(worker: number): StorageSeat;
  /** For readiness: healthy, degraded (full disk), or gone, with a sentence for the operator. */
  health(): Promise<StorageHealth>;
  close(): Promise<void>;
}

export interface StorageSeat {
  readonly data: unknown;
  readonly transfer: readonly import("node:worker_threads").TransferListItem[];
}

export interface StorageHealth {
  readonly state: "healthy" | "degraded" | "gone";
  readonly detail: string;
}
