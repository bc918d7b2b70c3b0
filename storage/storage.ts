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

export interface StorageHost {
  /** Where several processes share the store: who they are. Absent: this process is alone with it. */
  readonly members?: MemberStore;
  /** Where there are members: the formats that their programs know may differ. */
  readonly formats?: Formats;
  /** What a worker needs to attach: structured-cloneable data and the ports to transfer with it. */
  seat(worker: number): StorageSeat;
  /** For readiness: healthy, degraded (full disk), or gone, with a sentence for the operator. */
  health(): Promise<StorageHealth>;
  close(): Promise<void>;
}

export interface StorageSeat {
  readonly data: unknown;
  readonly transfer: readonly TransferListItem[];
}

export interface StorageHealth {
  readonly state: "healthy" | "degraded" | "gone";
  readonly detail: string;
}

/** Hears, in sentences, what an operator should know of a start. */
export type Log = (sentence: string) => void;
