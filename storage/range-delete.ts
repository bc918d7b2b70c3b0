import type { RowChange, ShardFlush } from "./tables.ts";

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
