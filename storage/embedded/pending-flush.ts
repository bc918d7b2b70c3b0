import type { RootDatabase } from "lmdb";
import { limits } from "#base";
import { changesIn, decodeFlush, type FlushPart } from "./flush-codec.ts";

/** What one transaction may delete by range for one flush. */
interface Slice {
  rows: number;
  bytes: number;
}

/** A flush that is not stored yet. Rows that it deletes by range go first, over several transactions if they are many. */
export class PendingFlush {
  readonly parts: readonly FlushPart[];
  readonly bytes: number;
  /** Rows that it changes, range deletes aside. */
  readonly changes: number;
  stored = false;
  /** The range that is being deleted: its part, and its place in that. */
  #part = 0;
  #range = 0;
  /** The watermarks of its shards at the last slice. */
  #seen = "";

  constructor(buffer: ArrayBuffer) {
    this.parts = [...decodeFlush(buffer)];
    this.bytes = buffer.byteLength;
    this.changes = changesIn(buffer);
  }

  /** Some of its ranges may have rows left. */
  get hasRanges(): boolean {
    return this.parts.some(({ ranges }, part) => part >= this.#part && ranges.length > 0);
  }

  /**
   * Deletes what fits into the slice; true when nothing is left. A crash between two slices loses nothing: the watermark
   * has not moved, so the next owner reads the range delete in the journal, and what is left goes with its first flush.
   * A flush of another owner of the shard may be stored between two slices, with rows of before the range delete in it:
   * then all ranges are looked at again.
   */
  deleteRanges(
    database: RootDatabase<Buffer, string>,
    slice: Slice,
    storedOf: (shard: number) => number,
  ): boolean {
    const seen = this.parts.map(({ shard }) => storedOf(shard)).join();
    if (seen !== this.#seen) [this.#part, this.#range, this.#seen] = [0, 0, seen];
    for (; this.#part < this.parts.length; this.#part++, this.#range = 0) {
      const { shard, watermark, ranges } = this.parts[this.#part]!;
      if (watermark <= storedOf(shard)) continue;
      for (; this.#range < ranges.length; this.#range++)
        if (!deleteRange(database, ranges[this.#range]!, slice)) return false;
    }
    return true;
  }
}

/** Each of the flushes that wait together has a share of it: one that deletes very much holds up none of the others. */
export function sliceFor(flushes: readonly PendingFlush[]): Slice {
  const shares = Math.max(1, flushes.filter(({ hasRanges }) => hasRanges).length);
  return {
    rows: Math.max(1, Math.floor(limits.tablesSliceRowsMax / shares)),
    bytes: Math.max(1, Math.floor(limits.tablesSliceBytesMax / shares)),
  };
}

/** Where room is short: the pages of its rows, which are a quarter full at least, fit the slice. */
export function smallSlice(): Slice {
  return {
    rows: Math.floor(limits.tablesSliceRowsMax / 4),
    bytes: Math.floor(limits.tablesSliceBytesMax / 4),
  };
}

/** True when the range is empty; the last row may go over the slice's bytes. */
export function deleteRange(
  database: RootDatabase<Buffer, string>,
  { start, end }: { readonly start: string; readonly end: string },
  slice: Slice,
): boolean {
  if (slice.rows <= 0 || slice.bytes <= 0) return false;
  const keys: string[] = [];
  let bytes = 0;
  for (const { key, value } of database.getRange({ start, end, limit: slice.rows })) {
    keys.push(key);
    bytes += key.length + value.length;
    if (bytes >= slice.bytes) break;
  }
  for (const key of keys) database.removeSync(key);
  const isWhole = keys.length < slice.rows && bytes < slice.bytes;
  slice.rows -= keys.length;
  slice.bytes -= bytes;
  return isWhole;
}
