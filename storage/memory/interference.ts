import type { StorageErrorKind } from "../error.ts";

/**
 * How a simulator intervenes between a caller and the store. Every hook may return a promise, which holds the operation
 * at that point. The engine has no timers and no randomness, so the simulator controls order and outcome.
 */
export interface Interference {
  /** Before an operation takes effect. */
  before?(operation: Operation): Verdict | Promise<Verdict>;
  /** An append is written but not synced. "failed": fsync reported an error, and the process stops. */
  sync?(operation: Operation): SyncVerdict | Promise<SyncVerdict>;
  /** The operation took effect; the caller does not know yet. */
  after?(operation: Operation): void | Promise<void>;
  /** The fate of a written, unsynced batch when its owner crashed or was replaced. Absent: lost. */
  leftover?(operation: Operation): Leftover;
  /** The process stops, as after an fsync error. */
  stopped?(reason: string): void;
}

export type Operation =
  | { readonly type: "open"; readonly shards: readonly number[] }
  | {
      readonly type: "append";
      readonly shard: number;
      readonly firstSeq: number;
      readonly entryCount: number;
    }
  | { readonly type: "replay" | "trim" | "get" | "scan" | "watermark"; readonly shard: number }
  | { readonly type: "write"; readonly shards: readonly number[] }
  | { readonly type: "putObject" | "getObject" | "deleteObject"; readonly key: string };

export type Verdict =
  | "proceed"
  /** Not applied; the caller gets this error. */
  | { readonly type: "fail"; readonly kind: StorageErrorKind }
  /** The caller gets "unknown". Applied now, never, or when the promise resolves (the fence is checked then). */
  | { readonly type: "unknown"; readonly applied: boolean | Promise<void> }
  /**
   * For a tables write: only the changes for which `stored` is true, and no watermark. The caller gets "unavailable".
   */
  | { readonly type: "part"; readonly stored: (change: number) => boolean };

export type SyncVerdict = "synced" | "failed";

/** A torn batch is found by its checksum at the next open and cut off. */
export type Leftover = "kept" | "lost" | "torn";

export const undisturbed: Interference = {};
