/**
 * Keeps the LMDB driver from running into a full disk: a short write or an error message that is too long for its
 * buffer can end the process. So before a transaction begins, the disk must have room for every page it can touch: for
 * each row a leaf and the branch above it, and the new values.
 */
import { statfsSync } from "node:fs";
import type { RootDatabase } from "lmdb";
import { limits } from "#base";
import type { FlushPart } from "./flush-codec.ts";
import { pageBytes } from "./pages.ts";
import type { PendingFlush } from "./pending-flush.ts";

/** The free bytes that the disk must have for one transaction with all of these flushes. */
export function neededFor(flushes: readonly PendingFlush[]): number {
  let needed: number = limits.tablesRoomBytesMin;
  for (const { changes, bytes } of flushes) needed += touchedBytes(changes, bytes);
  // The rows that a slice of a range delete removes are adjacent, in pages that are at least a quarter full.
  if (flushes.some(({ hasRanges }) => hasRanges)) needed += limits.tablesSliceBytesMax * 4;
  return needed;
}

/**
 * Whether the disk has room for a slice that touches this many bytes: twice as much, for the list of free pages and the
 * journal.
 */
export function hasRoom(path: string, touched: number): boolean {
  return diskFreeNow(path) >= Math.max(touched * 2, limits.tablesFloorBytesMin);
}

/** Splits changes into transactions of `tablesSliceBytesMax`; a larger change has its own. */
export function* slicesOf(
  changes: FlushPart["changes"],
): Generator<{ changes: FlushPart["changes"]; touched: number }> {
  let from = 0;
  let bytes = 0;
  for (const [at, { stored }] of changes.entries()) {
    const touched = touchedBytes(1, stored?.length ?? 0);
    if (at > from && bytes + touched > limits.tablesSliceBytesMax) {
      yield { changes: changes.slice(from, at), touched: bytes };
      from = at;
      bytes = 0;
    }
    bytes += touched;
  }
  if (from < changes.length) yield { changes: changes.slice(from), touched: bytes };
}

function touchedBytes(rows: number, valueBytes: number): number {
  return rows * 2 * pageBytes + valueBytes * 2;
}

export function diskFreeNow(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/**
 * Pages of the file that are free: all except those of the rows, of the list of free pages and the first two of the
 * file.
 */
export function freePages(database: RootDatabase<Buffer, string>): number {
  // The driver reads them in its snapshot. Reset before, because the snapshot may be old, and after, because one that
  // stays open would keep pages from being reused.
  database.resetReadTxn();
  const { lastPageNumber, root, free } = database.getStats() as Stats;
  database.resetReadTxn();
  return Math.max(0, lastPageNumber - 1 - pagesOf(root) - pagesOf(free));
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** The driver declares no type for it. */
interface Stats {
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}
