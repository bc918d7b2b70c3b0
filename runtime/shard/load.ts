import { decodeTuple, encodeTuple, type TuplePart } from "#base";
import type { Row } from "#storage";
import type { Need, RangeRef, StoredRow } from "../actor.ts";
import type { ScanOrder } from "./buffer.ts";
import type { Entity, Work } from "./cell.ts";
import { unpackValue } from "./codec.ts";
import { keyOf, type Partition } from "./partition.ts";
import type { Reader, WantedRow } from "./reader.ts";

/**
 * Loads what a decision said it needs and keeps it with the command. The cell is blocked until `done`, so what was
 * loaded stays true until the command has run. Calls back before it returns when the buffer has it all.
 */
export function loadNeeded(reader: Reader, work: Work, need: Need, done: (failure: unknown) => void): void {
  work.loaded ??= new Map();
  const { loaded, entity } = work;
  const rows: WantedRow[] = [];
  let waiting = 1;
  let failed: unknown;
  const arrived = (failure: unknown) => {
    failed ??= failure;
    if (--waiting === 0) done(failed);
  };
  for (const ref of need.need) {
    if ("key" in ref) rows.push({ partition: entity.partition(ref.collection), key: keyOf(ref.key) });
    else {
      waiting++;
      loadRange(reader, entity, ref, (failure, found) => {
        loaded.set(nameOfRange(ref), found);
        arrived(failure);
      });
    }
  }
  if (rows.length === 0) {
    arrived(undefined);
    return;
  }
  reader.getMany(rows, (failure, values) => {
    const unread = failureOf(() =>
      values.forEach((value, i) => {
        const { partition, key } = rows[i]!;
        loaded.set(nameOfRow(partition, key), value === null ? null : unpackValue(value));
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
  const { collection } = ref;
  reader.scan(entity.partition(collection), orderOf(ref), (failure, rows) =>
    done(failure, foundRows(collection, rows)),
  );
}

/**
 * Most who read a range never look at its keys, and some keep the rows and look at a value when they come to it: both are
 * read when they are asked for. Until then all of them are one piece of memory, which is the cheapest thing to keep.
 */
function foundRows(collection: string, rows: readonly Row[]): readonly StoredRow[] {
  let size = 0;
  for (const { key, value } of rows) size += key.length + value.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  return rows.map(({ key, value }) => {
    const start = at;
    const keyEnd = start + bytes.write(key, start, "latin1");
    bytes.set(value, keyEnd);
    at = keyEnd + value.length;
    return new FoundRow(collection, bytes, start, keyEnd, at);
  });
}

class FoundRow implements StoredRow {
  readonly collection: string;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #keyEnd: number;
  readonly #end: number;
  #value: unknown;

  constructor(collection: string, bytes: Buffer, start: number, keyEnd: number, end: number) {
    this.collection = collection;
    this.#bytes = bytes;
    this.#start = start;
    this.#keyEnd = keyEnd;
    this.#end = end;
  }

  get key(): readonly TuplePart[] {
    return decodeTuple(this.#bytes.toString("latin1", this.#start, this.#keyEnd));
  }

  get value(): unknown {
    this.#value ??= unpackValue(this.#bytes, this.#keyEnd, this.#end);
    return this.#value;
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
