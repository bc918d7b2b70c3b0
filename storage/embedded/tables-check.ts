import { closeSync, existsSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import { limits } from "#base";
import { corrupt, type StorageError } from "../error.ts";
import { CorruptPage, Pages } from "./pages.ts";
import { shardOf, watermarkedShard, watermarkKey } from "./row-key.ts";
import { checksumOf, corruptRow, keyHash, openRow } from "./row-value.ts";
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

  add(key: string, stored: Buffer): void {
    const shard = shardOf(key);
    if (shard === undefined) this.badKeys++;
    else if (shard < limits.shardCount) this.#addRow(shard, key, stored);
    else this.#addWatermark(key, stored);
  }

  #addRow(shard: number, key: string, stored: Buffer): void {
    this.totals.added(shard, keyHash(key), checksumOf(stored));
    const value = openRow(key, stored);
    if (value) {
      this.rows++;
      this.bytes += key.length + value.length;
      return;
    }
    const found = this.badRows.get(shard) ?? { count: 0, first: key };
    found.count++;
    this.badRows.set(shard, found);
  }

  #addWatermark(key: string, stored: Buffer): void {
    const shard = watermarkedShard(key);
    const value = openRow(key, stored);
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

/**
 * Reads all pages, rows and free lists. Throws if pages contradict each other. `made`: the file must exist. This is done before the
 * driver opens the file: if the driver fails to open an environment in a thread, the whole process ends when that thread ends.
 */
export async function checkTables(path: string, made: boolean): Promise<TablesCheck> {
  const check = new TablesCheck();
  const file = join(path, "data.mdb");
  if (!existsSync(file)) {
    if (made) throw unusable(path, `${file} is missing`);
    return check;
  }
  const handle = openSync(file, "r");
  try {
    // An empty file is about to be made.
    if (!made && fstatSync(handle).size === 0) return check;
    const pages = new Pages(handle);
    const rows = pages.walkRows((key, stored) => check.add(key.toString("latin1"), stored));
    let turns = 0;
    for (const walk of [rows, pages.walkFree()])
      for (const _ of walk) if (++turns % branchesPerTurn === 0) await nextLoop();
    return check;
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

function unusable(path: string, what: string): StorageError {
  return corrupt(`the tables in ${path} cannot be opened: ${what}`);
}

/** A branch page has about 40 pages of rows below it. */
const branchesPerTurn = 50;
