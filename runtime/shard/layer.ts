import { lowerBound } from "#base";
import type { DeletedRange, RowChange, ShardFlush } from "#storage";
import type { Partition } from "./partition.ts";
import type { Slabs } from "./slabs.ts";

/** The newest change of a row inside one layer: where its value stands; no bytes: deleted. */
export interface BufferedRow {
  readonly bytes: Buffer | undefined;
  readonly start: number;
  readonly end: number;
  readonly seq: number;
}

interface BufferedRange {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly seq: number;
}

/** What one layer changes in one partition. A row that is present is newer than every range that covers it. */
export class PartitionLayer {
  readonly rows = new Map<string, BufferedRow>();
  readonly ranges: BufferedRange[] = [];
  #sorted: string[] = [];
  #added: string[] = [];

  put(key: string, row: BufferedRow): void {
    const { size } = this.rows;
    this.rows.set(key, row);
    if (this.rows.size > size) this.#added.push(key);
  }

  deleteRange(from: string, to: string, seq: number): number {
    const keys = this.keys();
    const start = lowerBound(keys, from);
    const end = lowerBound(keys, to);
    for (let i = start; i < end; i++) this.rows.delete(keys[i]!);
    if (end > start) keys.splice(start, end - start);
    this.#dropCovered(from, to);
    this.ranges.push({ from, to, seq });
    return from.length + to.length + 64;
  }

  /** A later range that covers an earlier one says all of it: ranges of a line that grow from its head stay one. */
  #dropCovered(from: string, to: string): void {
    let kept = 0;
    for (const range of this.ranges) {
      const covered = range.from >= from && range.to <= to;
      if (!covered) this.ranges[kept++] = range;
    }
    this.ranges.length = kept;
  }

  hides(key: string): boolean {
    return this.ranges.some((range) => key >= range.from && key < range.to);
  }

  /** A key from `from` on and before `to` may be hidden. */
  hidesAny(from: string | undefined, to: string | undefined): boolean {
    return this.ranges.some(
      (range) => (from === undefined || range.to > from) && (to === undefined || range.from < to),
    );
  }

  /** The keys in order. New ones are kept apart until the next scan, because most partitions are only written. */
  keys(): string[] {
    if (this.#added.length > 0) {
      const added = this.#added.sort(compareText);
      this.#sorted = this.#sorted.length === 0 ? added : mergeSorted(this.#sorted, added);
      this.#added = [];
    }
    return this.#sorted;
  }
}

/** Changes of consecutive positions of one shard: open while it takes more, then frozen, then stored in the tables. */
export class Layer {
  readonly partitions = new Map<string, PartitionLayer>();
  lastSeq = 0;
  bytes = 0;
  rowCount = 0;
  /** The number of the newest read that began before this layer was stored; 0 while it is not stored. */
  storedAtRead = 0;
  /** What the slabs take in which the values of its rows stand. */
  slabBytes = 0;
  readonly #slabs = new Set<ArrayBufferLike>();
  #lastBytes: Buffer | undefined = undefined;

  /** Counts the slab of a value among those that this layer keeps in memory; most follow another of the same. */
  use(bytes: Buffer, slabs: Slabs): void {
    if (bytes === this.#lastBytes) return;
    this.#lastBytes = bytes;
    const slab = bytes.buffer;
    if (this.#slabs.has(slab)) return;
    this.#slabs.add(slab);
    this.slabBytes += slab.byteLength;
    slabs.use(slab);
  }

  /** The layer is dropped. */
  release(slabs: Slabs): void {
    for (const slab of this.#slabs) slabs.release(slab);
    this.#slabs.clear();
    this.slabBytes = 0;
    this.#lastBytes = undefined;
  }

  /** Copies its values into memory of their own. */
  compact(slabs: Slabs): void {
    let size = 0;
    for (const part of this.partitions.values())
      for (const { bytes, start, end } of part.rows.values()) if (bytes !== undefined) size += end - start;
    this.release(slabs);
    if (size === 0) return;
    const own = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const { rows } of this.partitions.values())
      for (const [key, { bytes, start, end, seq }] of rows) {
        if (bytes === undefined) continue;
        rows.set(key, { bytes: own, start: at, end: at + bytes.copy(own, at, start, end), seq });
        at += end - start;
      }
    this.use(own, slabs);
  }

  partition(partition: Partition): PartitionLayer {
    let found = this.partitions.get(partition.text);
    if (found === undefined) {
      found = new PartitionLayer();
      this.partitions.set(partition.text, found);
    }
    return found;
  }

  /** All of it, and `more` beside it. */
  toFlush(shard: number, ...more: readonly RowChange[]): ShardFlush {
    const changes: RowChange[] = [];
    const deletedRanges: DeletedRange[] = [];
    for (const [partition, { rows, ranges }] of this.partitions) {
      for (const [key, row] of rows) {
        const value = bufferedValue(row);
        changes.push(
          value === undefined ? { partition, key, seq: row.seq } : { partition, key, value, seq: row.seq },
        );
      }
      for (const range of ranges) deletedRanges.push({ partition, ...range });
    }
    changes.push(...more);
    return { shard, changes, deletedRanges, watermark: this.lastSeq };
  }
}

export function bufferedValue({ bytes, start, end }: BufferedRow): Uint8Array | undefined {
  return bytes?.subarray(start, end);
}

/**
 * What a row adds to memory: its bytes and about what the map, the string and the object around it take. A row that
 * replaces another counts as well: the bytes of the older one may be kept by their neighbours.
 */
export function rowCost(key: string, row: BufferedRow): number {
  return key.length * 2 + row.end - row.start + 120;
}

function mergeSorted(a: string[], b: readonly string[]): string[] {
  if (a.at(-1)! < b[0]!) {
    for (const key of b) a.push(key);
    return a;
  }
  const merged: string[] = new Array(a.length + b.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < merged.length; k++)
    merged[k] = j === b.length || (i < a.length && a[i]! < b[j]!) ? a[i++]! : b[j++]!;
  return merged;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
