import type { RowChange, ShardFlush } from "./tables.ts";

/** A put older than a range delete of the same flush is gone; one of the same event stands: it came after. */
export function isRangeDeleted(flush: ShardFlush, change: RowChange): boolean {
  return flush.deletedRanges.some(
    (range) =>
      range.seq > change.seq &&
      Buffer.compare(range.partition, change.partition) === 0 &&
      (range.from === undefined || Buffer.compare(range.from, change.key) <= 0) &&
      (range.to === undefined || Buffer.compare(change.key, range.to) < 0),
  );
}
