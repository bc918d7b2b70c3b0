/**
 * The driver is not let run into a full disk: a write that comes short it takes for a broken one, and another it words
 * into a buffer that may be too short for it, which ends the process sooner or later. So the disk has room for every page a
 * transaction can touch before it begins: of each row a leaf and the branch above it, and what is new.
 */
import { statfsSync } from "node:fs";
import type { RootDatabase } from "lmdb";
import { limits } from "#base";
import type { FlushPart } from "./flush-codec.ts";
import type { PendingFlush } from "./pending-flush.ts";
import { pageBytes } from "./tables-file.ts";

/** What the disk must have free for one transaction with all of them. */
export function neededFor(flushes: readonly PendingFlush[]): number {
  let needed: number = limits.tablesRoomBytesMin;
  for (const { changes, bytes } of flushes) needed += touchedBytes(changes, bytes);
  // Rows that a slice of a range delete removes stand together, in pages that are a quarter full at least.
  if (flushes.some(({ hasRanges }) => hasRanges)) needed += limits.tablesSliceBytesMax * 4;
  return needed;
}

/** Whether the disk has room for a slice that touches so much: for the list of free pages and the journal there is as much again. */
export function hasRoom(path: string, touched: number): boolean {
  return diskFree(path) >= Math.max(touched * 2, limits.tablesFloorBytesMin);
}

/** Changes that fit transactions of `tablesSliceBytesMax`; one that is larger by itself goes alone. */
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

export function diskFree(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Pages of the file that neither rows nor the list of free pages use: all but those and the two that begin the file. */
export function freePages(database: RootDatabase<Buffer, string>): number {
  // The driver reads them in a snapshot, an old one if there is one, and one that stays would keep pages from being used again.
  database.resetReadTxn();
  const { lastPageNumber, root, free } = database.getStats() as Stats;
  database.resetReadTxn();
  return Math.max(0, lastPageNumber - 1 - pagesOf(root) - pagesOf(free));
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** The driver's types leave it open. */
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
