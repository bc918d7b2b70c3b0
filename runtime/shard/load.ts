import { decodeTuple, encodeTuple, type TuplePart } from "#base";
import type { Row } from "#storage";
import type { RangeRef, RowRef, StoredRow } from "../actor.ts";
import type { RowShape } from "../row-shape.ts";
import type { ScanOrder } from "./buffer.ts";
import type { Entity, Work } from "./cell.ts";
import { listHeadBytes, unpackList, unpackValue, writeListHead } from "./codec.ts";
import { keyOf, type Partition } from "./partition.ts";
import type { Reader, WantedRow } from "./reader.ts";

/**
 * Loads what a decision said it needs and keeps it with the command. The cell is blocked until `done`, so what was
 * loaded stays true until the command has run. Calls back before it returns when the buffer has it all.
 */
export function loadNeeded(
  reader: Reader,
  work: Work,
  needed: readonly (RowRef | RangeRef)[],
  done: (failure: unknown) => void,
): void {
  work.loaded ??= new Map();
  const { loaded, entity } = work;
  const rows = new Map<string, WantedRow>();
  const ranges = new Map<string, RangeRef>();
  let waiting = 1;
  let failed: unknown;
  const arrived = (failure: unknown) => {
    failed ??= failure;
    if (--waiting === 0) done(failed);
  };
  for (const ref of needed) {
    if ("key" in ref) {
      const wanted = { partition: entity.partition(ref.collection), key: keyOf(ref.key) };
      rows.set(nameOfRow(wanted.partition, wanted.key), wanted);
    } else ranges.set(nameOfRange(ref), ref);
  }
  for (const [name, ref] of ranges) {
    waiting++;
    loadRange(reader, entity, ref, (failure, found) => {
      loaded.set(name, found);
      arrived(failure);
    });
  }
  if (rows.size === 0) {
    arrived(undefined);
    return;
  }
  const wanted = [...rows];
  reader.getMany([...rows.values()], (failure, values) => {
    const unread = failureOf(() =>
      values.forEach((value, i) => {
        const [name, { partition }] = wanted[i]!;
        loaded.set(name, value === null ? null : unpackValue(value, partition));
      }),
    );
    arrived(failure ?? unread);
  });
}

/** What `step` throws. A row that cannot be understood is its entity's failure, not that of the thread it is read in. */
export function failureOf(step: () => void): unknown {
  try {
    step();
    return undefined;
  } catch (error) {
    return error;
  }
}

function loadRange(
  reader: Reader,
  entity: Entity,
  ref: RangeRef,
  done: (failure: unknown, rows: readonly StoredRow[]) => void,
): void {
  const partition = entity.partition(ref.collection);
  reader.scan(partition, orderOf(ref), (failure, rows) => done(failure, foundRows(partition, rows)));
}

/**
 * Most who read a range never look at its keys, and some keep the rows and look at a value when they come to it: both are
 * read when they are asked for. Until then all of them are one piece of memory, which is the cheapest thing to keep.
 */
function foundRows(shape: RowShape, rows: readonly Row[]): readonly StoredRow[] {
  const found = new FoundRows(shape, rows);
  return rows.map((_, index) => new FoundRow(shape.collection, found, index));
}

/** A reader of a value mostly reads the next ones too, and several at once are read in less time. */
const runLength = 16;

/** Values in runs, each as a list that can be read; behind them the keys. */
class FoundRows {
  readonly #shape: RowShape;
  readonly #bytes: Buffer;
  /** Where runs and keys begin and end. */
  readonly #runs: Uint32Array;
  readonly #keys: Uint32Array;
  /** The run that was read last. */
  #run = -1;
  #values: readonly unknown[] = [];

  constructor(shape: RowShape, rows: readonly Row[]) {
    this.#shape = shape;
    const runs = Math.ceil(rows.length / runLength);
    let size = runs * listHeadBytes;
    for (const { key, value } of rows) size += key.length + value.length;
    this.#bytes = Buffer.allocUnsafe(size);
    this.#runs = new Uint32Array(runs + 1);
    this.#keys = new Uint32Array(rows.length + 1);
    let at = 0;
    for (const [index, { value }] of rows.entries()) {
      if (index % runLength === 0) {
        this.#runs[index / runLength] = at;
        at = writeListHead(this.#bytes, at, Math.min(runLength, rows.length - index));
      }
      this.#bytes.set(value, at);
      at += value.length;
    }
    this.#runs[runs] = at;
    for (const [index, { key }] of rows.entries()) {
      this.#keys[index] = at;
      at += this.#bytes.write(key, at, "latin1");
    }
    this.#keys[rows.length] = at;
  }

  key(index: number): readonly TuplePart[] {
    return decodeTuple(this.#bytes.toString("latin1", this.#keys[index], this.#keys[index + 1]));
  }

  value(index: number): unknown {
    const run = Math.floor(index / runLength);
    const place = index % runLength;
    if (run !== this.#run) {
      this.#values = unpackList(this.#bytes, this.#runs[run]!, this.#runs[run + 1]!, this.#shape);
      this.#run = run;
    }
    const value = this.#values[place];
    // A reader of the last value has mostly read them all: what is not needed any more does not outlive a garbage collection.
    if (place === runLength - 1) this.#dropRun();
    return value;
  }

  #dropRun(): void {
    this.#values = [];
    this.#run = -1;
  }
}

class FoundRow implements StoredRow {
  readonly collection: string;
  readonly #rows: FoundRows;
  readonly #index: number;

  constructor(collection: string, rows: FoundRows, index: number) {
    this.collection = collection;
    this.#rows = rows;
    this.#index = index;
  }

  get key(): readonly TuplePart[] {
    return this.#rows.key(this.#index);
  }

  get value(): unknown {
    return this.#rows.value(this.#index);
  }
}

/** The part of the partition a reference means: inside the prefix, from `from`, before `to`. */
function orderOf(ref: RangeRef): ScanOrder {
  const prefix = ref.prefix === undefined ? undefined : encodeTuple(ref.prefix);
  let from = ref.from === undefined ? prefix : encodeTuple(ref.from);
  let to = ref.to === undefined ? undefined : encodeTuple(ref.to);
  if (prefix !== undefined) {
    const end = `${prefix}\xff`;
    if (from === undefined || from < prefix) from = prefix;
    if (to === undefined || to > end) to = end;
  }
  return { from, to, limit: ref.limit, reverse: ref.reverse ?? false };
}

export function nameOfRow(partition: Partition, key: string): string {
  return `${partition.collection}\0${key}`;
}

export function nameOfRange(ref: RangeRef): string {
  return JSON.stringify([ref.collection, ref.prefix, ref.from, ref.to, ref.limit, ref.reverse ?? false]);
}
