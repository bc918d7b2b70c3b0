import type { RowChange, ShardFlush } from "./tables.ts";

/** A put older than a range delete of the same flush is gone; one of the same event stands: it came after. */
export function isRangeDeleted(flush: ShardFlush, change: RowChange): boolean {
  return flush.deletedRanges.some(
    (range) =>
      range.seq > change.seq &&
      range.partition === change.partition &&
      (range.from === undefined || range.from <= change.key) &&
      (range.to === undefined || change.key < range.to),
  );
}
