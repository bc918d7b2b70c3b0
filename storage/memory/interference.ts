import type { StorageErrorKind } from "../error.ts";

/**
 * How a simulator gets between a caller and the store. Every hook may return a promise, which holds the operation at
 * that point; the engine has no timers and draws nothing at random, so the simulator owns order and outcome.
 */
export interface Interference {
  /** Before an operation takes effect. */
  before?(operation: Operation): Verdict | Promise<Verdict>;
  /** An append is written but not synced. "failed": fsync reported an error, and the process stops. */
  sync?(operation: Operation): SyncVerdict | Promise<SyncVerdict>;
  /** It took effect; the caller does not know yet. */
  after?(operation: Operation): void | Promise<void>;
  /** What became of a written, unsynced batch when its owner crashed or was replaced. Absent: lost. */
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
  /** Not applied, and told so. */
  | { readonly type: "fail"; readonly kind: StorageErrorKind }
  /** Told as unknown; applied now, never, or when the promise resolves (the fence is checked then). */
  | { readonly type: "unknown"; readonly applied: boolean | Promise<void> }
  /** Of a tables write: only the changes for which `stored` is true, no watermark; told as unavailable. */
  | { readonly type: "part"; readonly stored: (change: number) => boolean };

export type SyncVerdict = "synced" | "failed";

/** A torn batch is found by its checksum at the next open and cut off. */
export type Leftover = "kept" | "lost" | "torn";

export const undisturbed: Interference = {};
