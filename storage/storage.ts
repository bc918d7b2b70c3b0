import type { TransferListItem } from "node:worker_threads";
import type { BootstrapData } from "./bootstrap.ts";
import type { Journal } from "./journal.ts";
import type { Formats, MemberStore } from "./members.ts";
import type { Tables } from "./tables.ts";

export interface Storage {
  readonly journal: Journal;
  readonly tables: Tables;
  readonly objects: Objects;
  /** Absent: the engine does not know how much room there is. */
  readonly room?: Room;
  /** The newest format that may be written now (`Formats`). Absent: this process is alone and writes any. */
  readonly usedFormat?: number | undefined;
  close(): Promise<void>;
}

/** Large bodies by key. A put is durable when it resolves and never visible in part. */
export interface Objects {
  put(key: string, body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>;
  /** `undefined` if there is no such object. `end` is exclusive. */
  get(key: string, range?: { start: number; end?: number }): Promise<AsyncIterable<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}

/** The room on the disk, as all threads see it. */
export interface Room {
  /** True: only commands that make room may write now. Others are refused before they are decided. */
  readonly full: boolean;
  /**
   * Removes the reserve that is kept for such commands. An append under way that meets a full disk waits for this and
   * is tried again.
   */
  useReserve(): Promise<void>;
}

export interface StorageHost {
  /** If several processes share the store: its list of nodes. Absent: this process is alone. */
  readonly members?: MemberStore;
  /** Present together with `members`: the nodes may run programs that know different formats. */
  readonly formats?: Formats;
  /** What a worker needs to attach: structured-cloneable data, and the ports to transfer with it. */
  bootstrap(worker: number): StorageBootstrap;
  /** For readiness: healthy, degraded (full disk) or gone, with a sentence for the operator. */
  health(): Promise<StorageHealth>;
  close(): Promise<void>;
}

export interface StorageBootstrap {
  readonly data: BootstrapData;
  readonly transfer: readonly TransferListItem[];
}

export interface StorageHealth {
  readonly state: "healthy" | "degraded" | "gone";
  readonly detail: string;
}

/** What `service data verify` found. */
export interface DataReport {
  /** False: there is nothing to verify. */
  readonly found: boolean;
  /** False: something is corrupt or contradicts itself; the sentence about it begins with DAMAGED. */
  readonly sound: boolean;
  /** The findings, one sentence each. */
  readonly findings: readonly string[];
}

/** Receives, in sentences, what an operator should know. */
export type Log = (sentence: string) => void;
