import { Reference } from "./codec.ts";
import type { Partition } from "./partition.ts";

/** Looked through for every change: what comes after so many is written out each time. */
const partitionsMax = 16;
/** A list so long is what rows are made of, an item or the record of a decision; a shorter one takes little more than a reference. */
const longMin = 12;
/** Steps for each long list that was written: bounds what is spent on looking for those that were not. */
const stepsPerList = 8;
/** A short list or an object is worth a reference from here on: a payload, a record. */
const largeBytesMin = 256;

/** What an entry has so far, and where: what comes again refers to it. */
export class Written {
  /** Where the entry begins in what is written: it counts from there. */
  readonly origin: number;
  readonly #partitions: Partition[] = [];
  // Most entries have none of one or both.
  #lists: Places | undefined;
  #large: Places | undefined;
  #lastRow: unknown;
  #lastVersion = 0;
  lastStart = 0;
  lastEnd = 0;

  constructor(origin = 0) {
    this.origin = origin;
  }

  /** Its place among those that were named, or -1: it is named now. */
  partition(partition: Partition): number {
    const place = this.#partitions.indexOf(partition);
    if (place < 0 && this.#partitions.length < partitionsMax) this.#partitions.push(partition);
    return place;
  }

  addRow(value: unknown, version: number, start: number, end: number): void {
    this.#lastRow = value;
    this.#lastVersion = version;
    this.lastStart = start;
    this.lastEnd = end;
  }

  /** The row before has the very same list, with the same version. An object may be a state's own, and have changed since. */
  isLastRow(value: unknown, version: number): boolean {
    return value === this.#lastRow && version === this.#lastVersion && Array.isArray(value);
  }

  /** A row, or what a row lists. */
  add(value: object, start: number, end: number): void {
    if (isLong(value)) {
      this.#lists ??= new Places();
      this.#lists.add(value, start, end);
    } else if (end - start >= largeBytesMin) {
      this.#large ??= new Places();
      this.#large.add(value, start, end);
    }
  }

  /** Where the very same list or object stands, if it does. */
  find(value: object): Reference | undefined {
    return isLong(value) ? this.#lists?.find(value) : this.#large?.find(value);
  }
}

export function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length >= longMin;
}

/** Values and where they stand, in the order in which they were written: in that they mostly come again. */
class Places {
  readonly #values: unknown[] = [];
  readonly #places: Reference[] = [];
  #next = 0;
  #steps = 0;

  add(value: unknown, start: number, end: number): void {
    this.#values.push(value);
    this.#places.push(new Reference(start, end));
    this.#steps += stepsPerList;
  }

  find(value: unknown): Reference | undefined {
    const { length } = this.#values;
    for (let step = 0; step < length && this.#steps > 0; step++, this.#steps--) {
      const index = (this.#next + step) % length;
      if (this.#values[index] !== value) continue;
      this.#next = index + 1;
      return this.#places[index];
    }
    return undefined;
  }
}
