import { constants } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { fullError, isFull, withFile, writeAll } from "./durable.ts";

/** A file of the journal's folder that holds nothing: it will be a segment, or was one. */
export interface Spare {
  readonly path: string;
  readonly bytes: number;
  /** Frames of an earlier use stand behind its header. */
  readonly used: boolean;
}

/**
 * Files made beforehand and used again, so that an append mostly finds its blocks allocated. Short ones, one for each
 * worker, are kept for starts: with them a start succeeds on a full disk. Long ones are made when a worker first rolls over.
 */
export class Spares {
  readonly #dir: string;
  readonly #short: Spare[] = [];
  readonly #long: Spare[] = [];
  #lastNumber = 0;
  /** As many as there ever were at once: the next start will have as many. */
  #workersMax = 0;
  #refilling: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** What earlier starts left. */
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

  /** Among those of its length; what fits neither, or is too much, goes. */
  async keep(spare: Spare): Promise<void> {
    if (spare.bytes === limits.segmentStartBytes && this.#short.length < (this.#workersMax || shortMax))
      this.#short.push(spare);
    else if (spare.bytes === limits.segmentBytesMax && this.#long.length <= this.#workersMax)
      this.#long.push(spare);
    else await rm(spare.path);
  }

  /** In the background: whoever takes one in the meantime does not wait for it. What fails is tried again the next time. */
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

  /** The name of a file that was a segment. */
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

  /** A short one gets its blocks now if there is room; a long one as it is written, and has them when it is used again. */
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

/** Nothing of it stays where it fails. False: there is no room for it. */
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

/** Before the workers of a start are known, what the last start kept for them is not thrown away. */
const shortMax = 64;

const sparePrefix = "spare-";
const freshSuffix = ".fresh";
const usedSuffix = ".used";

/** Segments and spares are counted, each for themselves. */
export function nameOf(number: number): string {
  return String(number).padStart(12, "0");
}

export function numberOf(path: string): number {
  return Number(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0);
}
