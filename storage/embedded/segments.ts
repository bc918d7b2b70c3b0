import { constants } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { Serial } from "../serial.ts";
import type { SegmentGrant, ShardSeqs } from "./control.ts";
import { fullError, isFull, syncFolder, withFile, writeAll } from "./durable.ts";
import type { ListedSegment } from "./generation.ts";
import type { GenerationFile } from "./generation-file.ts";
import { encodeSegmentHeader, newSalt } from "./segment.ts";
import { nameOf, numberOf, type Spare, Spares } from "./spares.ts";

/** A segment of the journal: its writer, and the sequences that must be in the tables before it may be removed. */
export interface SegmentRecord {
  readonly path: string;
  readonly lastSeqs: Map<number, number>;
  /** Absent: the segment is complete, no worker writes to it. */
  owner: object | undefined;
  /** Its entry in the generation file. */
  listed: ListedSegment;
  /** Its writer ended without sealing it; a write under way may still reach the file. */
  abandoned?: boolean;
}

/**
 * The host's list of segment files: it grants them to workers, and frees one when all of its entries are in the tables.
 */
export class Segments {
  readonly #dir: string;
  readonly #generation: GenerationFile;
  readonly #records = new Map<string, SegmentRecord>();
  readonly #spares: Spares;
  readonly #trimmed: Float64Array;
  readonly #workers = new Set<object>();
  #lastNumber = 0;
  readonly #work = new Serial();
  /** Files that are no longer segments; they become spares once the folder is synced. */
  #freed: Spare[] = [];
  readonly #syncFolder: (path: string) => Promise<void>;

  /** Tests let the sync of the folder fail. */
  constructor(dir: string, generation: GenerationFile, trimmed: Float64Array, sync = syncFolder) {
    this.#dir = dir;
    this.#generation = generation;
    this.#spares = new Spares(dir);
    this.#trimmed = trimmed;
    this.#syncFolder = sync;
  }

  /** Adds the segments of earlier starts with their last sequences. */
  async adopt(records: readonly SegmentRecord[]): Promise<void> {
    for (const record of records) {
      this.#records.set(record.path, record);
      this.#list(record);
      this.#lastNumber = Math.max(this.#lastNumber, numberOf(record.path));
    }
    if (records.length > 0) await this.#generation.write();
    await this.#spares.adopt();
    await this.#work.run(() => this.#sweep());
  }

  workerAdded(owner: object): void {
    this.#workers.add(owner);
    this.#spares.expectWorkers(this.#workers.size);
  }

  /** To be called when a worker is gone. Segments that it did not seal have no entries beyond the present heads. */
  workerGone(owner: object, heads: (shard: number) => number): void {
    this.#workers.delete(owner);
    for (const record of this.#records.values()) {
      if (record.owner !== owner) continue;
      record.owner = undefined;
      record.abandoned = true;
      for (let shard = 0; shard < limits.shardCount; shard++)
        if (heads(shard) > 0) record.lastSeqs.set(shard, heads(shard));
    }
  }

  grant(owner: object, starting: boolean): Promise<SegmentGrant> {
    return this.#work.run(() => this.#grant(owner, starting));
  }

  sealed(path: string, end: number, lastSeqs: ShardSeqs): Promise<void> {
    const record = this.#records.get(path);
    if (record) {
      record.owner = undefined;
      record.listed = { ...record.listed, end };
      for (const [shard, seq] of lastSeqs) record.lastSeqs.set(shard, seq);
    }
    return this.#work.run(async () => {
      if (record && !this.#isTrimmed(record)) {
        this.#list(record);
        await this.#generation.write();
      }
      await this.#sweep();
    });
  }

  trim(marks: ShardSeqs): Promise<void> {
    for (const [shard, upTo] of marks) this.#trimmed[shard] = Math.max(this.#trimmed[shard]!, upTo);
    return this.#work.run(() => this.#sweep());
  }

  paths(): string[] {
    return [...this.#records.keys()].sort();
  }

  /** Waits for the work under way, and then for the spares that it began to make. */
  async close(): Promise<void> {
    await this.#work.ended();
    await this.#spares.close();
  }

  async #grant(owner: object, starting: boolean): Promise<SegmentGrant> {
    const { segments } = this.#generation.state;
    if (segments.size >= limits.segmentsMax)
      throw new StorageError("full", `${segments.size} segments wait for the tables: writes are refused`);
    const spare = await this.#spares.take(starting);
    const salt = newSalt();
    const number = ++this.#lastNumber;
    const path = join(this.#dir, segmentName(number));
    const listed = { salt, bytes: spare.bytes, end: 0 };
    let { path: at } = spare;
    try {
      await withFile(at, constants.O_RDWR, async (handle) => {
        await writeAll(handle, encodeSegmentHeader(salt, spare.used), 0);
        await handle.sync();
      });
      await rename(at, path);
      at = path;
      await this.#syncFolder(this.#dir);
      // Listed after the file exists and before its first frame: every listed file exists, and every acknowledged entry
      // is in a listed file.
      segments.set(number, listed);
      await this.#generation.write();
    } catch (error) {
      segments.delete(number);
      await this.#spares.keep({ ...spare, path: at });
      throw isFull(error) ? fullError(error) : error;
    }
    // A worker that ended meanwhile will neither write to the segment nor seal it.
    const writer = this.#workers.has(owner) ? owner : undefined;
    this.#records.set(path, { path, lastSeqs: new Map(), owner: writer, listed });
    this.#spares.refill();
    return { path, salt, bytesMax: spare.bytes };
  }

  /** Entries below a synced watermark are in the tables. A file is removed when that holds for all of its entries. */
  async #sweep(): Promise<void> {
    const done = [...this.#records.values()].filter((record) => !record.owner && this.#isTrimmed(record));
    // First from the list, then from the folder: every listed file exists.
    if (done.length > 0) await this.#unlist(done);
    let failure: unknown;
    for (const record of done) {
      // A file that cannot be freed now is tried again with the next trim, and does not keep the others.
      await this.#free(record).catch((error: unknown) => {
        failure ??= error;
      });
    }
    // Synced before the header of a spare is overwritten: the file must not be a segment any more, even after a power
    // loss.
    if (this.#freed.length > 0) await this.#syncFolder(this.#dir);
    for (; this.#freed.length > 0; this.#freed.shift()) await this.#spares.keep(this.#freed[0]!);
    if (failure !== undefined) throw failure;
  }

  async #unlist(records: readonly SegmentRecord[]): Promise<void> {
    const { segments, dropped } = this.#generation.state;
    for (const { path, lastSeqs } of records) {
      segments.delete(numberOf(path));
      for (const [shard, seq] of lastSeqs) dropped[shard] = Math.max(dropped[shard]!, seq);
    }
    await this.#generation.write();
  }

  #list({ path, listed }: SegmentRecord): void {
    this.#generation.state.segments.set(numberOf(path), listed);
  }

  async #free({ path, abandoned }: SegmentRecord): Promise<void> {
    if (abandoned) await rm(path);
    else {
      const { size } = await stat(path);
      const spare = this.#spares.usedPath();
      await rename(path, spare);
      this.#freed.push({ path: spare, bytes: size, used: true });
    }
    this.#records.delete(path);
  }

  #isTrimmed(record: SegmentRecord): boolean {
    for (const [shard, seq] of record.lastSeqs) if (seq > this.#trimmed[shard]!) return false;
    return true;
  }
}

export const segmentSuffix = ".seg";

export function segmentName(number: number): string {
  return `${nameOf(number)}${segmentSuffix}`;
}
