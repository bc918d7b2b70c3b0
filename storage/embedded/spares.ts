import { constants } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { fullError, isFull, withFile, writeAll } from "./durable.ts";

/** A file in the journal's folder without entries: it will become a segment, or was one. */
export interface Spare {
  readonly path: string;
  readonly bytes: number;
  /** Frames of an earlier use follow its header. */
  readonly used: boolean;
}

/**
 * Files that are made in advance and reused, so that an append mostly finds its blocks allocated. Short ones, one per
 * worker, are kept for starts: with them a start succeeds on a full disk. Long ones are made when a worker fills its
 * first segment.
 */
export class Spares {
  readonly #dir: string;
  readonly #short: Spare[] = [];
  readonly #long: Spare[] = [];
  #lastNumber = 0;
  /** The greatest number of workers so far: the next start will have as many. */
  #workersMax = 0;
  #refilling: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Takes over the spares of earlier starts. */
  async adopt(): Promise<void> {
    for (const name of await readdir(this.#dir)) {
      if (!name.startsWith(sparePrefix)) continue;
      const path = join(this.#dir, name);
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(name));
      await this.keep({ path, bytes: (await stat(path)).size, used: name.endsWith(usedSuffix) });
    }
  }

  expectWorkers(count: number): void {
    this.#workersMax = Math.max(this.#workersMax, count);
  }

  async take(short: boolean): Promise<Spare> {
    return (short ? this.#short : this.#long).pop() ?? (await this.#make(short));
  }

  /** Kept with the others of its length; a file of another length, or one too many, is removed. */
  async keep(spare: Spare): Promise<void> {
    if (spare.bytes === limits.segmentStartBytes && this.#short.length < (this.#workersMax || shortMax))
      this.#short.push(spare);
    else if (spare.bytes === limits.segmentBytesMax && this.#long.length <= this.#workersMax)
      this.#long.push(spare);
    else await rm(spare.path);
  }

  /** Runs in the background: `take` does not wait for it. A failure is tried again next time. */
  refill(): void {
    this.#refilling ??= this.#fillShort()
      .catch(() => undefined)
      .finally(() => {
        this.#refilling = undefined;
      });
  }

  /** Waits for the work under way. */
  async close(): Promise<void> {
    await this.#refilling;
  }

  /** A name for a file that was a segment. */
  usedPath(): string {
    return this.#newPath(usedSuffix);
  }

  async #fillShort(): Promise<void> {
    const bytes = limits.segmentStartBytes;
    while (this.#short.length > this.#workersMax + 1) await rm(this.#short.pop()!.path);
    while (this.#short.length < this.#workersMax) {
      const path = this.#newPath(freshSuffix);
      if (!(await fillWithZeros(path, bytes))) return;
      this.#short.push({ path, bytes, used: false });
    }
  }

  /**
   * A short file gets its blocks now if there is room; a long one while it is written, and has them when it is reused.
   */
  async #make(short: boolean): Promise<Spare> {
    const path = this.#newPath(freshSuffix);
    const bytes = short ? limits.segmentStartBytes : limits.segmentBytesMax;
    try {
      if (!short || !(await fillWithZeros(path, bytes))) await makeSparse(path, bytes);
      return { path, bytes, used: false };
    } catch (error) {
      await rm(path, { force: true });
      throw isFull(error) ? fullError(error) : error;
    }
  }

  #newPath(suffix: string): string {
    return join(this.#dir, `${sparePrefix}${nameOf(++this.#lastNumber)}${suffix}`);
  }
}

/** A failure leaves no file. False: the disk has no room for it. */
export async function fillWithZeros(path: string, bytes: number): Promise<boolean> {
  const zeros = Buffer.alloc(1_024 * 1_024);
  try {
    await withFile(path, newFile, async (handle) => {
      for (let at = 0; at < bytes; at += zeros.length) await writeAll(handle, zeros, at);
      await handle.sync();
    });
    return true;
  } catch (error) {
    await rm(path, { force: true });
    if (isFull(error)) return false;
    throw error;
  }
}

async function makeSparse(path: string, bytes: number): Promise<void> {
  await withFile(path, newFile, (handle) => handle.truncate(bytes));
}

const newFile = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC;

/** How many spares of the last start are kept until the number of workers is known. */
const shortMax = 64;

const sparePrefix = "spare-";
const freshSuffix = ".fresh";
const usedSuffix = ".used";

/** Segments and spares have separate numbers. */
export function nameOf(number: number): string {
  return String(number).padStart(12, "0");
}

export function numberOf(path: string): number {
  return Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0);
}
