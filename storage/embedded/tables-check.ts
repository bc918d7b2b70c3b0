import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { crc32c } from "./checksum.ts";
import { CorruptPage, type Entry, Pages } from "./pages.ts";
import { shardIn, watermarkedShard, watermarkKey } from "./row-key.ts";
import { corruptRow, keyHashIn, noKey, openRow, rowChecksumBytes } from "./row-value.ts";
import { isWatermark, readTotals, Totals } from "./totals.ts";

/** What the tables' file has, read to its end. */
export class TablesCheck {
  rows = 0;
  bytes = 0;
  badKeys = 0;
  /** Rows whose checksum does not match, by shard, and the key of the first. */
  readonly badRows = new Map<number, { count: number; readonly first: string }>();
  readonly badWatermarks = new Set<number>();
  readonly watermarks = new Float64Array(limits.shardCount);
  readonly totals = new Totals();
  readonly #written = new Totals();
  /** Shards with a watermark, which has their totals. */
  readonly #marked = new Set<number>();

  add(entry: Entry): void {
    const { page, keyStart, keyEnd } = entry;
    const shard = shardIn(page, keyStart, keyEnd);
    if (shard === undefined) this.badKeys++;
    else if (shard < limits.shardCount) this.#addRow(shard, entry);
    else this.#addWatermark(entry);
  }

  #addRow(shard: number, { page, keyStart, keyEnd, values, valueStart, valueEnd }: Entry): void {
    const hash = keyHashIn(page, keyStart, keyEnd, noKey);
    const end = valueEnd - rowChecksumBytes;
    const checksum = end < valueStart ? 0 : values.readUInt32LE(end);
    this.totals.added(shard, hash, checksum);
    if (end >= valueStart && crc32c(values, valueStart, end, hash) === checksum) {
      this.rows++;
      this.bytes += keyEnd - keyStart + end - valueStart;
      return;
    }
    const first = page.toString("latin1", keyStart, keyEnd);
    const found = this.badRows.get(shard) ?? { count: 0, first };
    found.count++;
    this.badRows.set(shard, found);
  }

  #addWatermark({ page, keyStart, keyEnd, values, valueStart, valueEnd }: Entry): void {
    const key = page.toString("latin1", keyStart, keyEnd);
    const shard = watermarkedShard(key);
    const value = openRow(key, values.subarray(valueStart, valueEnd));
    if (shard >= limits.shardCount) this.badKeys++;
    else if (!value || !isWatermark(value)) this.badWatermarks.add(shard);
    else {
      this.watermarks[shard] = value.readDoubleBE(0);
      readTotals(value, shard, this.#written);
      this.#marked.add(shard);
    }
  }

  /** Sentences about shards whose rows are not those that were written. A row with a wrong checksum is found when it is read. */
  lost(): string[] {
    const sentences: string[] = [];
    for (const shard of this.#marked) {
      const [found, written] = [this.totals.counts[shard], this.#written.counts[shard]];
      const sameSum = this.badRows.has(shard) || this.totals.hasSameSum(shard, this.#written);
      if (found !== written) sentences.push(`shard ${shard} has ${found} rows, and ${written} were written`);
      else if (!this.totals.hasSameRows(shard, this.#written))
        sentences.push(`the keys of shard ${shard} are not those that were written`);
      else if (!sameSum) sentences.push(`the rows of shard ${shard} are not those that were written last`);
    }
    return sentences;
  }
}

/** Reads all pages, rows and free lists. Throws if pages contradict each other. `made`: the file must exist. */
export async function checkTables(path: string, made: boolean): Promise<TablesCheck> {
  const check = new TablesCheck();
  await readPages(path, made, (entry) => check.add(entry));
  return check;
}

/**
 * Checks the pages before the driver opens them. If the driver fails to open an environment in a thread, the whole process ends
 * when that thread ends.
 */
async function readPages(path: string, made: boolean, each: (entry: Entry) => void): Promise<void> {
  const file = join(path, "data.mdb");
  const handle = opened(file);
  if (handle === undefined) {
    if (made) throw unusable(path, `${file} is missing`);
    return;
  }
  try {
    const pages = Pages.in(handle, made);
    if (!pages) return;
    let turns = 0;
    for (const walk of [pages.walk(pages.meta.rows, true, each), pages.walkFree()])
      for (const _ of walk) if (++turns % branchesPerTurn === 0) await nextLoop();
  } catch (error) {
    if (error instanceof CorruptPage) throw unusable(path, `${file} ${error.message}`);
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** What keeps these tables from being used; the rows of other shards than a corrupt row's can be read. */
export function whyUnusable(path: string, check: TablesCheck): StorageError | undefined {
  for (const shard of check.badWatermarks) return corruptRow(shard, watermarkKey(shard));
  const [lost] = check.lost();
  if (lost !== undefined) return unusable(path, lost);
  return check.badKeys > 0 ? unusable(path, `${check.badKeys} keys are no row's`) : undefined;
}

function opened(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function unusable(path: string, what: string): StorageError {
  return new StorageError("corrupt", `the tables in ${path} cannot be opened: ${what}`);
}

/** A branch page has about 40 pages of rows below it. */
const branchesPerTurn = 50;
