import { constants } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import type { SegmentGrant } from "./control.ts";
import { fullError, isFull, syncFolder, withFile, writeAll } from "./durable.ts";
import { encodeSegmentHeader, newSalt } from "./segment.ts";

/** A segment of the journal: whose it is while it is written, and what must be in the tables before it may go. */
export interface SegmentRecord {
  readonly path: string;
  readonly lastSeqs: Map<number, number>;
  /** Absent: nobody writes to it any more. */
  owner: object | undefined;
  /** Its writer ended without sealing it; a write it had begun may still reach the file. */
  abandoned?: boolean;
}

/**
 * The host's list of segment files. Files are made beforehand, and used again when all their entries are in the tables,
 * so that an append mostly finds its blocks allocated. Short ones, one for each worker, are kept for starts: with them a
 * start succeeds on a full disk. Long ones are made when a worker first rolls over.
 */
export class Segments {
  readonly #dir: string;
  readonly #records = new Map<string, SegmentRecord>();
  readonly #reserve: Spare[] = [];
  readonly #spares: Spare[] = [];
  readonly #trimmed: Float64Array;
  #lastNumber = 0;
  #workers = 0;
  /** As many as there ever were at once: the next start will have as many. */
  #workersMax = 0;
  #work: Promise<unknown> = Promise.resolve();
  #refilling: Promise<void> | undefined;
  /** Files that are segments no more, once the folder is synced. */
  #freed: Spare[] = [];
  readonly #syncFolder: (path: string) => Promise<void>;

  /** Tests have the folder's sync fail. */
  constructor(dir: string, trimmed: Float64Array, sync = syncFolder) {
    this.#dir = dir;
    this.#trimmed = trimmed;
    this.#syncFolder = sync;
  }

  /** What a start found: the segments of earlier starts with their last sequences. */
  async adopt(records: readonly SegmentRecord[]): Promise<void> {
    for (const record of records) {
      this.#records.set(record.path, record);
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(record.path));
    }
    for (const name of await readdir(this.#dir)) {
      if (!name.startsWith(sparePrefix)) continue;
      const path = join(this.#dir, name);
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(name));
      await this.#keep({ path, bytes: (await stat(path)).size, used: name.endsWith(usedSuffix) });
    }
    await this.#serially(() => this.#sweep());
  }

  workerAdded(): void {
    this.#workers++;
    this.#workersMax = Math.max(this.#workersMax, this.#workers);
  }

  /** A worker is gone; segments it did not seal hold nothing beyond the heads of this moment. */
  workerGone(owner: object, heads: (shard: number) => number): void {
    this.#workers--;
    for (const record of this.#records.values()) {
      if (record.owner !== owner) continue;
      record.owner = undefined;
      record.abandoned = true;
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
    await this.#refilling;
    await this.#work;
  }

  async #grant(owner: object, starting: boolean): Promise<SegmentGrant> {
    const pool = starting ? this.#reserve : this.#spares;
    const spare = pool.pop() ?? (await this.#create(starting));
    const salt = newSalt();
    const path = join(this.#dir, `${nameOf(++this.#lastNumber)}${segmentSuffix}`);
    let { path: at } = spare;
    try {
      await withFile(at, constants.O_RDWR, async (handle) => {
        await writeAll(handle, encodeSegmentHeader(salt, spare.used), 0);
        await handle.sync();
      });
      await rename(at, path);
      at = path;
      await this.#syncFolder(this.#dir);
    } catch (error) {
      await this.#keep({ ...spare, path: at });
      throw isFull(error) ? fullError(error) : error;
    }
    this.#records.set(path, { path, lastSeqs: new Map(), owner });
    return { path, salt, bytesMax: spare.bytes };
  }

  /** Into the pool of its length; what fits neither, or is too much, goes. */
  async #keep(spare: Spare): Promise<void> {
    if (spare.bytes === limits.segmentStartBytes && this.#reserve.length < (this.#workersMax || reserveMax))
      this.#reserve.push(spare);
    else if (spare.bytes === limits.segmentBytesMax && this.#spares.length <= this.#workersMax)
      this.#spares.push(spare);
    else await rm(spare.path);
  }

  /** A short one gets its blocks now if there is room; a long one as it is written, and has them when it is used again. */
  async #create(short: boolean): Promise<Spare> {
    const path = join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${freshSuffix}`);
    const bytes = short ? limits.segmentStartBytes : limits.segmentBytesMax;
    try {
      if (!short || !(await fillWithZeros(path, bytes))) await makeSparse(path, bytes);
      return { path, bytes, used: false };
    } catch (error) {
      await rm(path, { force: true });
      throw isFull(error) ? fullError(error) : error;
    }
  }

  /** In the background: a grant in the meantime does not wait for it. */
  async #refill(): Promise<void> {
    if (this.#refilling !== undefined) return;
    this.#refilling = this.#fillReserve().catch(() => undefined);
    await this.#refilling;
    this.#refilling = undefined;
  }

  async #fillReserve(): Promise<void> {
    while (this.#reserve.length > this.#workersMax + 1) await rm(this.#reserve.pop()!.path);
    while (this.#reserve.length < this.#workersMax) {
      const path = join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${freshSuffix}`);
      if (!(await fillWithZeros(path, limits.segmentStartBytes))) return rm(path);
      this.#reserve.push({ path, bytes: limits.segmentStartBytes, used: false });
    }
  }

  /** Entries below a synced watermark are in the tables; a file goes when that holds for all of its entries. */
  async #sweep(): Promise<void> {
    let failure: unknown;
    for (const record of this.#records.values()) {
      if (record.owner || !this.#isTrimmed(record)) continue;
      // One that cannot go now is tried again with the next trim, and keeps no other.
      await this.#free(record).catch((error: unknown) => {
        failure ??= error;
      });
    }
    // Before a spare's header is written over, it must not be a segment any more, also after a loss of power.
    if (this.#freed.length > 0) await this.#syncFolder(this.#dir);
    for (; this.#freed.length > 0; this.#freed.shift()) await this.#keep(this.#freed[0]!);
    if (failure !== undefined) throw failure;
  }

  async #free({ path, abandoned }: SegmentRecord): Promise<void> {
    if (abandoned) await rm(path);
    else {
      const { size } = await stat(path);
      const spare = join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${usedSuffix}`);
      await rename(path, spare);
      this.#freed.push({ path: spare, bytes: size, used: true });
    }
    this.#records.delete(path);
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

interface Spare {
  readonly path: string;
  readonly bytes: number;
  /** Frames of an earlier use stand behind its header. */
  readonly used: boolean;
}

/** False: there is no room for it. */
async function fillWithZeros(path: string, bytes: number): Promise<boolean> {
  const zeros = Buffer.alloc(1_024 * 1_024);
  try {
    await withFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, async (handle) => {
      for (let at = 0; at < bytes; at += zeros.length) await writeAll(handle, zeros, at);
      await handle.sync();
    });
    return true;
  } catch (error) {
    if (isFull(error)) return false;
    throw error;
  }
}

async function makeSparse(path: string, bytes: number): Promise<void> {
  await withFile(path, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, (handle) =>
    handle.truncate(bytes),
  );
}

/** Before the workers of a start are known, what the last start kept for them is not thrown away. */
const reserveMax = 64;

export const segmentSuffix = ".seg";
const sparePrefix = "spare-";
const freshSuffix = ".fresh";
const usedSuffix = ".used";

function nameOf(number: number): string {
  return String(number).padStart(12, "0");
}

function numberOf(path: string): number {
  return Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0);
}
