import { pack, unpack } from "msgpackr";
import { encodeTuple, limits, type TuplePart } from "#base";
import type { RangeRef, StoredRow } from "#runtime";

interface Entry {
  readonly order: string;
  readonly key: readonly TuplePart[];
  readonly bytes: Uint8Array;
}

/** The rows of one collection of one entity, stored as bytes so that only values survive a restart. */
export class RowSet {
  readonly #entries = new Map<string, Entry>();
  #sorted: Entry[] | undefined;

  put(key: readonly TuplePart[], value: unknown): void {
    const order = encodeTuple(key);
    if (order.length > limits.keyBytesMax) throw new RangeError(`a key of ${order.length} bytes`);
    if (!this.#entries.has(order)) this.#sorted = undefined;
    const entry = { order, key: [...key], bytes: pack(value) };
    this.#entries.set(order, entry);
    if (this.#sorted) this.#sorted[this.#indexOf(order)] = entry;
  }

  delete(key: readonly TuplePart[]): void {
    if (this.#entries.delete(encodeTuple(key))) this.#sorted = undefined;
  }

  deletePrefix(prefix: readonly TuplePart[]): void {
    for (const row of this.scan({ collection: "", prefix, limit: Number.MAX_SAFE_INTEGER }))
      this.delete(row.key);
  }

  deleteRange(from: readonly TuplePart[], to: readonly TuplePart[]): void {
    for (const row of this.scan({ collection: "", from, to, limit: Number.MAX_SAFE_INTEGER }))
      this.delete(row.key);
  }

  get(key: readonly TuplePart[]): unknown {
    const entry = this.#entries.get(encodeTuple(key));
    return entry ? unpack(entry.bytes) : null;
  }

  scan(range: RangeRef): StoredRow[] {
    const prefix = encodeTuple(range.prefix ?? []);
    const bounds = {
      from: range.from ? encodeTuple(range.from) : prefix,
      to: range.to ? encodeTuple(range.to) : `${prefix}\xff`,
    };
    const sorted = this.#sort();
    const start = lowerBound(sorted, bounds.from);
    const end = lowerBound(sorted, bounds.to);
    const slice = range.reverse
      ? sorted.slice(Math.max(start, end - range.limit), end).reverse()
      : sorted.slice(start, Math.min(end, start + range.limit));
    return slice.map((entry) => ({
      collection: range.collection,
      key: entry.key,
      value: unpack(entry.bytes),
    }));
  }

  get size(): number {
    return this.#entries.size;
  }

  #sort(): Entry[] {
    this.#sorted ??= [...this.#entries.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
    return this.#sorted;
  }

  #indexOf(order: string): number {
    return lowerBound(this.#sort(), order);
  }
}

function lowerBound(entries: readonly Entry[], order: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
