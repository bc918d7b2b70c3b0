import type { RootDatabase } from "lmdb";
import { limits } from "#base";
import { decodeFlush, type FlushPart } from "./flush-codec.ts";

/** Bounds of the range deletes that one transaction does for one flush. */
interface Slice {
  rows: number;
  bytes: number;
}

/**
 * A flush that is not stored yet. Its range deletes come first, spread over several transactions if they remove many
 * rows.
 */
export class PendingFlush {
  readonly parts: readonly FlushPart[];
  readonly bytes: number;
  /** The number of rows that it changes, without range deletes. */
  readonly changes: number;
  readonly hasRanges: boolean;
  stored = false;

  constructor(buffer: ArrayBuffer) {
    this.parts = [...decodeFlush(buffer)];
    this.bytes = buffer.byteLength;
    this.changes = this.parts.reduce((sum, { changes }) => sum + changes.length, 0);
    this.hasRanges = this.parts.some(({ ranges }) => ranges.length > 0);
  }

  /**
   * Deletes as much as the slice allows; true when nothing is left. A crash between two slices loses nothing: the
   * watermark has not moved, so the next owner finds the range delete in the journal, and its first flush deletes the
   * rest. Every slice begins with the first range: between two slices, a flush of another owner of the shard may be
   * stored that contains rows from before the range delete.
   */
  deleteRanges(
    database: RootDatabase<Buffer, string>,
    slice: Slice,
    storedOf: (shard: number) => number,
    remove: (shard: number, key: string, old: Buffer) => void,
  ): boolean {
    for (const { shard, watermark, ranges } of this.parts) {
      if (watermark <= storedOf(shard)) continue;
      for (const range of ranges)
        if (!deleteRange(database, range, slice, (key, old) => remove(shard, key, old))) return false;
    }
    return true;
  }
}

/**
 * The flushes that wait together share one slice, so that a flush with very large deletes does not delay the others.
 */
export function sliceFor(flushes: readonly PendingFlush[]): Slice {
  const shares = Math.max(1, flushes.filter(({ hasRanges }) => hasRanges).length);
  return {
    rows: Math.max(1, Math.floor(limits.tablesSliceRowsMax / shares)),
    bytes: Math.max(1, Math.floor(limits.tablesSliceBytesMax / shares)),
  };
}

/**
 * For a disk that is nearly full: even if the pages of the deleted rows are only a quarter full, they fit the slice.
 */
export function smallSlice(): Slice {
  return {
    rows: Math.floor(limits.tablesSliceRowsMax / 4),
    bytes: Math.floor(limits.tablesSliceBytesMax / 4),
  };
}

/** True when the range is empty. The last row may exceed the bytes of the slice. */
export function deleteRange(
  database: RootDatabase<Buffer, string>,
  { start, end }: { readonly start: string; readonly end: string },
  slice: Slice,
  remove: (key: string, old: Buffer) => void,
): boolean {
  if (slice.rows <= 0 || slice.bytes <= 0) return false;
  const rows: { readonly key: string; readonly value: Buffer }[] = [];
  let bytes = 0;
  for (const row of database.getRange({ start, end, limit: slice.rows })) {
    rows.push(row);
    bytes += row.key.length + row.value.length;
    if (bytes >= slice.bytes) break;
  }
  for (const { key, value } of rows) remove(key, value);
  const isWhole = rows.length < slice.rows && bytes < slice.bytes;
  slice.rows -= rows.length;
  slice.bytes -= bytes;
  return isWhole;
}
