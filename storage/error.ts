/** Named by what the caller does next. */
export type StorageErrorKind =
  /** Another owner has the shard: stop, never acknowledge again. Its head says whether this was applied in time. */
  | "fenced"
  /** May or may not have been applied: reopen the shard, then look. */
  | "unknown"
  /** Not applied; the disk is full: refuse writes, go on reading, try again later. */
  | "full"
  /** Not applied; the store cannot be reached: try again later. */
  | "unavailable"
  /** What is stored contradicts itself: stop and tell the operator. */
  | "corrupt"
  /** Closed by us. */
  | "closed";

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageErrorKind;
  /** The shard that is affected, where it is one: the others go on. */
  readonly shard: number | undefined;
  constructor(kind: StorageErrorKind, message: string, options?: StorageErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.shard = options?.shard;
  }
}

interface StorageErrorOptions extends ErrorOptions {
  readonly shard?: number | undefined;
}
