/**
 * Rows derived from the journal. A partition is one collection of one entity; keys are ordered inside it. Reads see
 * what the last finished `write` stored; nothing is read across partitions. Partitions and keys are strings of one
 * character per byte, which JavaScript orders as a store orders the bytes.
 */
export interface Tables {
  get(key: RowKey): Promise<Uint8Array | undefined>;
  getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]>;
  scan(range: RowRange): Promise<readonly Row[]>;
  /** The sequence up to which a shard's rows are stored; 0 for a new shard. */
  watermark(shard: number): Promise<number>;
  /**
   * Stores rows and watermarks of many shards. When it resolves, all of it is synced. After a failure any part may be
   * stored, and the caller repeats it: a flush is idempotent. A watermark never becomes visible before its rows. A
   * flush whose watermark is below the stored one comes late from an earlier owner and changes nothing.
   */
  write(flush: readonly ShardFlush[]): Promise<void>;
  /**
   * Adds up the bytes of the rows of some partitions of all shards. It reads them in short turns, so that other reads
   * are not delayed.
   */
  measure(chosen: ChosenPartitions): Promise<void>;
}

export interface ChosenPartitions {
  /**
   * Returns the partition itself if its rows are to be counted; otherwise the start of the next candidate among
   * partitions of the same length; absent: there is none.
   */
  next(partition: string): string | undefined;
  /** Called any number of times for one partition. */
  count(partition: string, bytes: number): void;
}

export interface RowKey {
  readonly shard: number;
  readonly partition: string;
  readonly key: string;
}

export interface RowRange {
  readonly shard: number;
  readonly partition: string;
  /** Inclusive; absent means from the first. */
  readonly from?: string;
  /** Exclusive; absent means to the last. */
  readonly to?: string;
  readonly limit: number;
  readonly reverse?: boolean;
}

export interface Row {
  readonly key: string;
  readonly value: Uint8Array;
}

export interface ShardFlush {
  readonly shard: number;
  /**
   * Range deletes come before the puts of the same or a higher sequence and after those of a lower one. (If an event
   * deletes a range after its own put, the caller leaves that put out.)
   */
  readonly deletedRanges: readonly DeletedRange[];
  /** At most one change per key: the newest. */
  readonly changes: readonly RowChange[];
  readonly watermark: number;
}

export interface RowChange {
  readonly partition: string;
  readonly key: string;
  /** Absent: deleted. */
  readonly value?: Uint8Array;
  /** Sequence of the event that made the change: the order of writes, also across epochs. */
  readonly seq: number;
}

export interface DeletedRange {
  readonly partition: string;
  readonly from?: string;
  readonly to?: string;
  readonly seq: number;
}

/**
 * A put older than a range delete of the same flush is dropped. A put of the same event is kept: it came after the
 * delete.
 */
export function isRangeDeleted(flush: ShardFlush, change: RowChange): boolean {
  return flush.deletedRanges.some(
    (range) =>
      range.seq > change.seq &&
      range.partition === change.partition &&
      (range.from === undefined || range.from <= change.key) &&
      (range.to === undefined || change.key < range.to),
  );
}
