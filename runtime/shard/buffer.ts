import { limits as defaults, lowerBound } from "#base";
import type { Row } from "#storage";
import { type BufferedRow, bufferedValue, Layer, type PartitionLayer, rowCost } from "./layer.ts";
import type { Partition } from "./partition.ts";
import { Slabs } from "./slabs.ts";

/** A layer whose slabs take this many times what its rows do is copied out of them: most of them is something else. */
const deadFactor = 4;

/**
 * Row changes of a shard that the tables may not have yet, in layers from old to new. The newest layer takes changes,
 * the others are frozen. A stored layer stays until every read that began before it was stored has ended: such a read
 * may have seen the tables without it.
 */
export class WriteBuffer {
  #layers: Layer[] = [new Layer()];
  #reads = new Set<number>();
  #lastRead = 0;
  #growth = 0;
  #slabs: Slabs;
  readonly #layerBytes: number;

  /** A layer is frozen when it has `layerBytes`. */
  constructor(slabs = new Slabs(), layerBytes: number = defaults.checkpointWriteBytesMax) {
    this.#slabs = slabs;
    this.#layerBytes = layerBytes;
  }

  /** Bytes added since this was last asked. */
  takeGrowth(): number {
    const growth = this.#growth;
    this.#growth = 0;
    return growth;
  }

  get bytes(): number {
    let sum = 0;
    for (const layer of this.#layers) if (layer.storedAtRead === 0) sum += layer.bytes;
    return sum;
  }

  get layerCount(): number {
    return this.#layers.length;
  }

  put(partition: Partition, key: string, row: BufferedRow): void {
    const layer = this.#layers.at(-1)!;
    layer.partition(partition).put(key, row);
    if (row.bytes !== undefined) layer.use(row.bytes, this.#slabs);
    const growth = rowCost(key, row);
    layer.bytes += growth;
    layer.rowCount++;
    this.#growth += growth;
  }

  deleteRange(partition: Partition, range: { from: string; to: string }, seq: number): void {
    const layer = this.#layers.at(-1)!;
    const growth = layer.partition(partition).deleteRange(range.from, range.to, seq);
    layer.bytes += growth;
    layer.rowCount++;
    this.#growth += growth;
  }

  /** Positions without row changes move the watermark too. */
  reached(seq: number): void {
    const open = this.#layers.at(-1)!;
    open.lastSeq = seq;
    // A layer is stored as a whole, so it is not larger than one write.
    if (open.bytes >= this.#layerBytes) this.freeze();
  }

  /** The row as the buffer knows it: its bytes, `null` where it is deleted, `undefined` where only tables know. */
  get(partition: string, key: string): Uint8Array | null | undefined {
    for (let i = this.#layers.length - 1; i >= 0; i--) {
      const part = this.#layers[i]!.partitions.get(partition);
      if (part === undefined) continue;
      const row = part.rows.get(key);
      if (row !== undefined) return bufferedValue(row) ?? null;
      if (part.ranges.length > 0 && part.hides(key)) return null;
    }
    return undefined;
  }

  /** The layers' view of one partition, new to old; empty when the tables alone know it. */
  parts(partition: string): PartitionLayer[] {
    const parts: PartitionLayer[] = [];
    for (let i = this.#layers.length - 1; i >= 0; i--) {
      const part = this.#layers[i]!.partitions.get(partition);
      if (part !== undefined) parts.push(part);
    }
    return parts;
  }

  beginRead(): number {
    this.#reads.add(++this.#lastRead);
    return this.#lastRead;
  }

  endRead(read: number): void {
    this.#reads.delete(read);
    this.#dropStored();
  }

  /** Closes the open layer if it holds anything. */
  freeze(): void {
    const open = this.#layers.at(-1)!;
    if (open.lastSeq > 0) this.#layers.push(new Layer());
  }

  /** Frozen layers that the tables lack. */
  get unstored(): number {
    let count = 0;
    for (let i = 0; i < this.#layers.length - 1; i++) if (this.#layers[i]!.storedAtRead === 0) count++;
    return count;
  }

  /** The oldest frozen layer that the tables lack, if all of it is durable. */
  nextToStore(durableSeq: number): Layer | undefined {
    for (let i = 0; i < this.#layers.length - 1; i++) {
      const layer = this.#layers[i]!;
      if (layer.storedAtRead > 0) continue;
      return layer.lastSeq <= durableSeq ? layer : undefined;
    }
    return undefined;
  }

  stored(layer: Layer): void {
    layer.storedAtRead = this.#lastRead + 1;
    this.#dropStored();
  }

  /** Gives up the slabs of which only little is ours. True: there were some. */
  compact(): boolean {
    let compacted = false;
    for (const layer of this.#layers) {
      if (layer.slabBytes <= layer.bytes * deadFactor) continue;
      layer.compact(this.#slabs);
      compacted = true;
    }
    return compacted;
  }

  /** The end of its ownership term: whatever is done with it from now on is not counted any more. */
  drop(): void {
    for (const layer of this.#layers) layer.release(this.#slabs);
    this.#slabs = new Slabs();
  }

  #dropStored(): void {
    const oldest = this.#reads.values().next().value ?? Number.POSITIVE_INFINITY;
    while (this.#layers.length > 1) {
      const layer = this.#layers[0]!;
      if (layer.storedAtRead === 0 || oldest < layer.storedAtRead) return;
      layer.release(this.#slabs);
      this.#layers.shift();
    }
  }
}

export interface ScanOrder {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  readonly reverse?: boolean;
}

/**
 * Joins the layers' rows with rows read from the tables, in order, newest change first. Returns `undefined` when the
 * tables' rows ran out before `limit` and there are more of them: the caller reads on and asks again.
 */
export function mergeScan(
  parts: readonly PartitionLayer[],
  table: { readonly rows: readonly Row[]; readonly complete: boolean },
  order: ScanOrder,
): readonly Row[] | undefined {
  const sources = parts
    .map((part) => cursorOver(part, order))
    .filter(({ at, end, hides }) => at !== end || hides);
  // Mostly what was changed lately is elsewhere.
  if (sources.length === 0)
    return table.complete || table.rows.length >= order.limit ? table.rows.slice(0, order.limit) : undefined;
  const step = order.reverse ? -1 : 1;
  const found: Row[] = [];
  let tableAt = 0;
  while (found.length < order.limit) {
    const stored = table.rows[tableAt];
    let next = stored?.key;
    if (next === undefined && !table.complete) return undefined;
    for (const source of sources) {
      const key = source.keys[source.at];
      if (source.at === source.end || key === undefined) continue;
      if (next === undefined || (order.reverse ? key > next : key < next)) next = key;
    }
    if (next === undefined) return found;
    let row: BufferedRow | undefined;
    let hidden = false;
    for (const source of sources) {
      const here = source.at !== source.end && source.keys[source.at] === next;
      if (here) source.at += step;
      if (row !== undefined || hidden) continue;
      if (here) row = source.part.rows.get(next);
      else if (source.hides) hidden = source.part.hides(next);
    }
    const inTable = stored !== undefined && stored.key === next;
    if (row !== undefined) {
      const value = bufferedValue(row);
      // A copy: a row may be kept for long, and would keep the slab it stands in.
      if (value !== undefined) found.push({ key: next, value: Buffer.from(value) });
    } else if (inTable && !hidden) found.push(stored);
    if (inTable) tableAt++;
  }
  return found;
}

interface Cursor {
  readonly part: PartitionLayer;
  readonly keys: readonly string[];
  at: number;
  /** The index at which the cursor has run out. */
  readonly end: number;
  /** Some of what is scanned was deleted by range. */
  readonly hides: boolean;
}

function cursorOver(part: PartitionLayer, order: ScanOrder): Cursor {
  const keys = part.keys();
  const low = order.from === undefined ? 0 : lowerBound(keys, order.from);
  const high = order.to === undefined ? keys.length : lowerBound(keys, order.to);
  const hides = part.hidesAny(order.from, order.to);
  if (low >= high) return { part, keys, at: 0, end: 0, hides };
  return order.reverse
    ? { part, keys, at: high - 1, end: low - 1, hides }
    : { part, keys, at: low, end: high, hides };
}
