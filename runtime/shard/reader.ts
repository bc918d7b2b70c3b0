import { type Row, StorageError, type Tables } from "#storage";
import { isCorruption } from "../refusals.ts";
import { mergeScan, type ScanOrder, type WriteBuffer } from "./buffer.ts";
import type { Partition } from "./partition.ts";

/** Told when a read has ended; a failed one says why. */
export type Done<T> = (failure: unknown, result: T) => void;

/** A row by its place. */
export interface WantedRow {
  readonly partition: Partition;
  readonly key: string;
}

/** Rows of one page; a page grows up to this while the buffer hides what it finds. */
const pageRowsMax = 4_096;

/**
 * The one way to read rows: the tables first, then the buffer over them as it stands when the tables have answered.
 * Layers present at the beginning are kept until the end, so a change is in what the tables said or in a layer, never in neither.
 */
export class Reader {
  readonly #shard: number;
  readonly #buffer: WriteBuffer;
  readonly #tables: Tables;
  readonly #monotonic: () => number;
  readonly #hears: ReaderHears;
  /** Reads the tables have not answered yet, the oldest first. */
  readonly #pending = new Map<number, Pending>();

  constructor(
    shard: number,
    buffer: WriteBuffer,
    tables: Tables,
    monotonic: () => number,
    hears: ReaderHears,
  ) {
    this.#shard = shard;
    this.#buffer = buffer;
    this.#tables = tables;
    this.#monotonic = monotonic;
    this.#hears = hears;
  }

  /** Tells commands that have waited this long that the tables do not answer; a late answer is dropped. */
  giveUp(waitedMs: number): void {
    const latestMs = this.#monotonic() - waitedMs;
    for (const [read, { sinceMs, failed }] of this.#pending) {
      if (sinceMs > latestMs) return;
      this.#pending.delete(read);
      failed(new StorageError("unavailable", `the tables did not answer for ${waitedMs} ms`));
    }
  }

  /** What the buffer alone can say: bytes, `null` for deleted, `undefined` for "ask the tables". */
  buffered(partition: Partition, key: string): Uint8Array | null | undefined {
    return this.#buffer.get(partition.text, key);
  }

  /** Calls back at once, before it returns, when the buffer has every row. */
  getMany(wanted: readonly WantedRow[], done: Done<readonly (Uint8Array | null)[]>): void {
    const known = wanted.map(({ partition, key }) => this.buffered(partition, key));
    const missing = wanted.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) {
      done(
        undefined,
        known.map((value) => value ?? null),
      );
      return;
    }
    const read = this.#buffer.beginRead();
    const keys = missing.map(({ partition, key }) => ({
      shard: this.#shard,
      partition: partition.text,
      key,
    }));
    const failed = (failure: unknown) => {
      this.#buffer.endRead(read);
      done(failure, []);
    };
    this.#await(
      read,
      this.#tables.getMany(keys),
      (values) => {
        const stored = new Map(missing.map((want, i) => [want, values[i] ?? null]));
        // A row known at the beginning may have come from a layer that was stored before this read and is gone now.
        const rows = wanted.map((want, i) => {
          const buffered = this.buffered(want.partition, want.key);
          return buffered === undefined ? (stored.get(want) ?? known[i] ?? null) : buffered;
        });
        this.#buffer.endRead(read);
        done(undefined, rows);
      },
      failed,
    );
  }

  scan(partition: Partition, order: ScanOrder, done: Done<readonly Row[]>): void {
    const read = this.#buffer.beginRead();
    const rows: Row[] = [];
    let { from, to } = order;
    let pageRows = order.limit;
    const end = (failure: unknown, found: readonly Row[]) => {
      this.#buffer.endRead(read);
      done(failure, found);
    };
    const page = () => {
      const range = {
        shard: this.#shard,
        partition: partition.text,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        limit: pageRows,
        reverse: order.reverse ?? false,
      };
      const arrived = (more: readonly Row[]) => {
        for (const row of more) rows.push(row);
        const complete = more.length < pageRows;
        const found = mergeScan(this.#buffer.parts(partition.text), { rows, complete }, order);
        if (found !== undefined) return end(undefined, found);
        // Where the buffer hides many rows, larger pages come to an end sooner.
        pageRows = Math.min(pageRows * 2, pageRowsMax);
        // The next key after the last one read: itself and a zero byte.
        const last = rows.at(-1)!.key;
        if (order.reverse) to = last;
        else from = `${last}\0`;
        page();
      };
      this.#await(read, this.#tables.scan(range), arrived, (failure) => end(failure, []));
    };
    page();
  }

  /** Calls one of the two, once: when the tables have answered, or were given up. */
  #await<T>(
    read: number,
    answer: Promise<T>,
    arrived: (result: T) => void,
    failed: (failure: unknown) => void,
  ): void {
    this.#pending.set(read, { sinceMs: this.#monotonic(), failed });
    answer
      .then(
        (result) => {
          if (this.#pending.delete(read)) arrived(result);
        },
        (failure) => {
          if (isCorruption(failure)) this.#hears.corrupt(failure);
          if (this.#pending.delete(read)) failed(failure ?? noReason());
        },
      )
      .catch(this.#hears.threw);
  }

  /** Every row of a partition, page by page, so that one read stays bounded. */
  scanAll(partition: Partition, pageRows: number, each: (row: Row) => void, done: Done<void>): void {
    const page = (from: string | undefined) => {
      this.scan(partition, { from, limit: pageRows }, (failure, rows) => {
        if (failure !== undefined) return done(failure, undefined);
        for (const row of rows) each(row);
        if (rows.length < pageRows) done(undefined, undefined);
        else page(`${rows.at(-1)!.key}\0`);
      });
    };
    page(undefined);
  }
}

function noReason(): StorageError {
  return new StorageError("unavailable", "the tables gave no reason");
}

interface ReaderHears {
  /** What the one that waited for rows throws when they arrive. */
  readonly threw: (error: unknown) => void;
  /** Rows are there and cannot be read. */
  readonly corrupt: (failure: unknown) => void;
}

interface Pending {
  readonly sinceMs: number;
  readonly failed: (failure: unknown) => void;
}

/** The store could not be read, as opposed to what was read being of no use. */
export function isStorageFailure(failure: unknown): boolean {
  return failure instanceof StorageError;
}
