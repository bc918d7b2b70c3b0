import { constants } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import type { SegmentGrant } from "./control.ts";
import { fullError, isFull, syncFolder, withFile, writeAll } from "./durable.ts";
import { encodeSegmentHeader, newSalt, segmentHeaderBytes } from "./segment.ts";

/** A segment of the journal: whose it is while it is written, and what must be in the tables before it may go. */
export interface SegmentRecord {
  readonly path: string;
  readonly lastSeqs: Map<number, number>;
  /** Absent: nobody writes to it any more. */
  owner: object | undefined;
}

/**
 * The host's list of segment files. Files are made beforehand, and used again when all their entries are in the tables,
 * so that an append finds its blocks allocated. A reserve, one for each worker, is never used for rolling over: with it
 * a start succeeds on a full disk.
 */
export class Segments {
  readonly #dir: string;
  readonly #records = new Map<string, SegmentRecord>();
  readonly #spares: string[] = [];
  readonly #trimmed: Float64Array;
  #lastNumber = 0;
  #workers = 0;
  #work: Promise<unknown> = Promise.resolve();
  #refilling: Promise<void> | undefined;
  #closed = false;

  constructor(dir: string, trimmed: Float64Array) {
    this.#dir = dir;
    this.#trimmed = trimmed;
  }

  /** What a start found: the segments of earlier starts with their last sequences. */
  async adopt(records: readonly SegmentRecord[]): Promise<void> {
    for (const record of records) {
      this.#records.set(record.path, record);
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(record.path));
    }
    for (const name of await readdir(this.#dir)) {
      if (!name.startsWith(sparePrefix)) continue;
      this.#spares.push(join(this.#dir, name));
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(name));
    }
    await this.#serially(() => this.#sweep());
  }

  workerAdded(): void {
    this.#workers++;
  }

  /** A worker is gone; segments it did not seal hold nothing beyond the heads of this moment. */
  workerGone(owner: object, heads: (shard: number) => number): void {
    this.#workers--;
    for (const record of this.#records.values()) {
      if (record.owner !== owner) continue;
      record.owner = undefined;
      for (let shard = 0; shard < limits.shardCount; shard++)
        if (heads(shard) > 0) record.lastSeqs.set(shard, heads(shard));
    }
  }

  grant(owner: object, starting: boolean): Promise<SegmentGrant> {
    const granted = this.#serially(() => this.#grant(owner, starting));
    granted.then(() => this.#refill()).catch(() => undefined);
    return granted;
  }

  sealed(path: string, lastSeqs: readonly (readonly [number, number])[]): Promise<void> {
    const record = this.#records.get(path);
    if (record) {
      record.owner = undefined;
      for (const [shard, seq] of lastSeqs) record.lastSeqs.set(shard, seq);
    }
    return this.#serially(() => this.#sweep());
  }

  trim(marks: readonly (readonly [number, number])[]): Promise<void> {
    for (const [shard, upTo] of marks) this.#trimmed[shard] = Math.max(this.#trimmed[shard]!, upTo);
    return this.#serially(() => this.#sweep());
  }

  paths(): string[] {
    return [...this.#records.keys()].sort();
  }

  /** Waits for the work under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#refilling;
    await this.#work;
  }

  async #grant(owner: object, starting: boolean): Promise<SegmentGrant> {
    const usable = starting || this.#spares.length > this.#workers;
    const spare = (usable ? this.#spares.pop() : undefined) ?? (await this.#create());
    const salt = newSalt();
    const path = join(this.#dir, `${nameOf(++this.#lastNumber)}${segmentSuffix}`);
    try {
      await withFile(spare, constants.O_RDWR, async (handle) => {
        await writeAll(handle, encodeSegmentHeader(salt, spare.endsWith(usedSuffix)), 0);
        await handle.sync();
      });
      await rename(spare, path);
      await syncFolder(this.#dir);
    } catch (error) {
      this.#spares.push(spare);
      throw isFull(error) ? fullError(error) : error;
    }
    this.#records.set(path, { path, lastSeqs: new Map(), owner });
    return { path, salt };
  }

  async #create(): Promise<string> {
    const path = join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${freshSuffix}`);
    const fill = (bytes: number) =>
      withFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, async (handle) => {
        const zeros = Buffer.alloc(Math.min(bytes, 1_024 * 1_024));
        for (let at = 0; at < bytes; at += zeros.length)
          await writeAll(handle, zeros.subarray(0, Math.min(zeros.length, bytes - at)), at);
        await handle.sync();
      });
    try {
      await fill(limits.segmentBytesMax);
    } catch (error) {
      if (!isFull(error)) throw error;
      // What room is left is worth using: appends then allocate as they go.
      await fill(segmentHeaderBytes).catch(async (again: unknown) => {
        await rm(path, { force: true });
        throw isFull(again) ? fullError(again) : again;
      });
    }
    return path;
  }

  /** In the background: a grant in the meantime does not wait for it. */
  async #refill(): Promise<void> {
    if (this.#refilling !== undefined) return;
    this.#refilling = this.#fillReserve().catch(() => undefined);
    await this.#refilling;
    this.#refilling = undefined;
  }

  async #fillReserve(): Promise<void> {
    while (!this.#closed && this.#spares.length < this.#workers + 1) {
      const path = await this.#create();
      if ((await stat(path)).size < limits.segmentBytesMax) return rm(path);
      this.#spares.push(path);
    }
  }

  /** Entries below a synced watermark are in the tables; a file goes when that holds for all of its entries. */
  async #sweep(): Promise<void> {
    let renamed = false;
    for (const record of this.#records.values()) {
      if (record.owner || !this.#isTrimmed(record)) continue;
      this.#records.delete(record.path);
      const { size } = await stat(record.path);
      if (this.#spares.length > this.#workers || size < limits.segmentBytesMax) {
        await rm(record.path);
        continue;
      }
      const spare = join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${usedSuffix}`);
      await rename(record.path, spare);
      this.#spares.push(spare);
      renamed = true;
    }
    // Before a spare's header is written over, it must not be a segment any more, also after a loss of power.
    if (renamed) await syncFolder(this.#dir);
  }

  #isTrimmed(record: SegmentRecord): boolean {
    for (const [shard, seq] of record.lastSeqs) if (seq > this.#trimmed[shard]!) return false;
    return true;
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }
}

export const segmentSuffix = ".seg";
const sparePrefix = "spare-";
/** Zeros behind its header; `usedSuffix`: frames of an earlier use. */
const freshSuffix = ".fresh";
const usedSuffix = ".used";

function nameOf(number: number): string {
  return String(number).padStart(12, "0");
}

function numberOf(path: string): number {
  return Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0);
}
