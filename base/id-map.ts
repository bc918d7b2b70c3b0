import { assert } from "./assert.ts";

const none = -1;
const capacityMin = 16;
/** Shared by all maps that never had a key: a queue has ten of them, and four small arrays each were 9 KB of an idle pool. */
const noTable = new Int32Array(1);
const noSlots = new Int32Array(0);
/** A table that was larger once gives up what it does not need any more. */
const sparseCapacity = 4_096;
const sparseFactor = 16;

/**
 * A map for what comes and goes by the thousand a second, in order of insertion. `Map` moves to a new table every few hundred
 * changes; old tables are garbage, and one that had grown old keeps all its values alive until the next full collection, so
 * that what was there for milliseconds is copied as if it were there to stay. This one changes in place and leaves nothing behind.
 *
 * Keys are ids that the service made itself: eight characters at their end tell them apart, and callers cannot choose them.
 */
export class IdMap<Value> {
  /** Open addressing: one more than a slot; 0 where there is none. */
  #table = noTable;
  readonly #keys: (string | undefined)[] = [];
  readonly #values: (Value | undefined)[] = [];
  /** Of a slot: the hash of its key, the slots inserted after and before it. A free slot has the next free one after it. */
  #hashes = noSlots;
  #after = noSlots;
  #before = noSlots;
  #first = none;
  #last = none;
  #free = none;
  #size = 0;
  #changes = 0;

  get size(): number {
    return this.#size;
  }

  /** Of the one that was inserted first. */
  get firstKey(): string | undefined {
    return this.#first === none ? undefined : this.#keys[this.#first];
  }

  has(key: string): boolean {
    return this.#place(key, hashOf(key)) !== none;
  }

  get(key: string): Value | undefined {
    const place = this.#place(key, hashOf(key));
    return place === none ? undefined : this.#values[this.#table[place]! - 1];
  }

  /** What was there. A key that is set again keeps its place in the order. */
  set(key: string, value: Value): Value | undefined {
    const hash = hashOf(key);
    const place = this.#place(key, hash);
    if (place === none) {
      this.#insert(key, value, hash);
      return undefined;
    }
    const slot = this.#table[place]! - 1;
    const before = this.#values[slot];
    this.#values[slot] = value;
    return before;
  }

  /** What was there. */
  delete(key: string): Value | undefined {
    if (this.#size === 0) return undefined;
    const place = this.#place(key, hashOf(key));
    if (place === none) return undefined;
    const slot = this.#table[place]! - 1;
    const value = this.#values[slot];
    this.#close(place);
    this.#unlink(slot);
    this.#keys[slot] = undefined;
    this.#values[slot] = undefined;
    this.#after[slot] = this.#free;
    this.#free = slot;
    this.#size--;
    this.#changes++;
    const { length } = this.#table;
    if (length > sparseCapacity && this.#size * sparseFactor < length) this.#rebuild(length / 4);
    return value;
  }

  clear(): void {
    this.#table = noTable;
    this.#keys.length = 0;
    this.#values.length = 0;
    this.#first = none;
    this.#last = none;
    this.#free = none;
    this.#size = 0;
    this.#changes++;
  }

  /** Nothing is inserted or deleted meanwhile. */
  *entries(): IterableIterator<[key: string, value: Value]> {
    const changes = this.#changes;
    for (let slot = this.#first; slot !== none; slot = this.#after[slot]!) {
      yield [this.#keys[slot]!, this.#values[slot]!];
      assert(changes === this.#changes, "a map is not changed while it is looked through");
    }
  }

  /** Nothing is inserted or deleted meanwhile. */
  *values(): IterableIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  #place(key: string, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = table[place]! - 1;
      if (slot === none) return none;
      if (this.#hashes[slot] === hash && this.#keys[slot] === key) return place;
    }
  }

  #insert(key: string, value: Value, hash: number): void {
    if ((this.#size + 1) * 2 > this.#table.length)
      this.#rebuild(Math.max(capacityMin, this.#table.length * 2));
    const slot = this.#takeSlot();
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#hashes[slot] = hash;
    this.#after[slot] = none;
    this.#before[slot] = this.#last;
    if (this.#last === none) this.#first = slot;
    else this.#after[this.#last] = slot;
    this.#last = slot;
    this.#size++;
    this.#changes++;
    this.#point(slot);
  }

  #takeSlot(): number {
    const slot = this.#free;
    if (slot !== none) {
      this.#free = this.#after[slot]!;
      return slot;
    }
    const { length } = this.#keys;
    if (length === this.#hashes.length) {
      this.#hashes = grown(this.#hashes);
      this.#after = grown(this.#after);
      this.#before = grown(this.#before);
    }
    return length;
  }

  #point(slot: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let place = this.#hashes[slot]! & mask;
    while (table[place] !== 0) place = (place + 1) & mask;
    table[place] = slot + 1;
  }

  /** An entry behind a freed place that would be looked for there moves up. */
  #close(freed: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let hole = freed;
    for (let place = (hole + 1) & mask; table[place] !== 0; place = (place + 1) & mask) {
      const home = this.#hashes[table[place]! - 1]! & mask;
      if (((place - home) & mask) < ((place - hole) & mask)) continue;
      table[hole] = table[place]!;
      hole = place;
    }
    table[hole] = 0;
  }

  #unlink(slot: number): void {
    const after = this.#after[slot]!;
    const before = this.#before[slot]!;
    if (before === none) this.#first = after;
    else this.#after[before] = after;
    if (after === none) this.#last = before;
    else this.#before[after] = before;
  }

  #rebuild(capacity: number): void {
    this.#table = new Int32Array(capacity);
    for (let slot = this.#first; slot !== none; slot = this.#after[slot]!) this.#point(slot);
  }
}

function hashOf(key: string): number {
  let hash = key.length;
  for (let i = Math.max(0, hash - 8), end = hash; i < end; i++)
    hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(capacityMin, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
