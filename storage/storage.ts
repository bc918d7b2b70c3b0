import type { TransferListItem } from "node:worker_threads";
import type { Formats } from "./formats.ts";
import type { Journal } from "./journal.ts";
import type { MemberStore } from "./members.ts";
import type { Objects } from "./objects.ts";
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
  readonly data: unknown;
  readonly transfer: readonly TransferListItem[];
}

export interface StorageHealth {
  readonly state: "healthy" | "degraded" | "gone";
  readonly detail: string;
}

/** Receives, in sentences, what an operator should know. */
export type Log = (sentence: string) => void;
