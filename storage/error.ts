/** Kinds are named by what the caller does next. */
export type StorageErrorKind =
  /** Not applied, another owner has the shard: stop, and never acknowledge again. */
  | "fenced"
  /** May or may not have been applied: open the shard again and look. */
  | "unknown"
  /** Not applied, the disk is full: refuse writes, continue reading, try again later. */
  | "full"
  /** Not applied, the store cannot be reached: try again later. */
  | "unavailable"
  /** The stored data contradicts itself: stop and tell the operator. */
  | "corrupt"
  /** Closed by this process. */
  | "closed";

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageErrorKind;
  /** The affected shard, if it is only one: the others continue. */
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

/** The stored data contradicts itself. */
export function corrupt(message: string, options?: StorageErrorOptions): StorageError {
  return new StorageError("corrupt", message, options);
}
