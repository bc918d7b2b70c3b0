import { assert, limits, lowerBound } from "#base";
import { isRangeDeleted } from "../range-delete.ts";
import type { ChosenPartitions, Row, RowChange, RowKey, RowRange, ShardFlush, Tables } from "../tables.ts";
import type { MemoryHandle } from "./handle.ts";
import { copyOf, type MemoryPartition } from "./store.ts";

export class MemoryTables implements Tables {
  readonly #handle: MemoryHandle;

  constructor(handle: MemoryHandle) {
    this.#handle = handle;
  }

  get(key: RowKey): Promise<Uint8Array | undefined> {
    return this.#handle.run({ type: "get", shard: key.shard }, () => this.#read(key));
  }

  getMany(keys: readonly RowKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#handle.run({ type: "get", shard: keys[0]?.shard ?? 0 }, () =>
      keys.map((key) => this.#read(key)),
    );
  }

  #read(key: RowKey): Uint8Array | undefined {
    return this.#find(key.shard, key.partition)?.values.get(key.key);
  }

  scan(range: RowRange): Promise<readonly Row[]> {
    return this.#handle.run({ type: "scan", shard: range.shard }, () => {
      const partition = this.#find(range.shard, range.partition);
      if (!partition) return [];
      const [from, to] = bounds(partition, range);
      const count = Math.max(0, Math.min(range.limit, to - from));
      const rows: Row[] = [];
      for (let i = 0; i < count; i++) {
        const key = partition.keys[range.reverse ? to - 1 - i : from + i]!;
        rows.push({ key, value: partition.values.get(key)! });
      }
      return rows;
    });
  }

  watermark(shard: number): Promise<number> {
    return this.#handle.run(
      { type: "watermark", shard },
      () => this.#handle.store.watermarks.get(shard) ?? 0,
    );
  }

  write(flush: readonly ShardFlush[]): Promise<void> {
    for (const { changes } of flush)
      for (const change of changes)
        assert(change.key.length <= limits.keyBytesMax, "a row's key fits keyBytesMax");
    const shards = flush.map((part) => part.shard);
    return this.#handle.run(
      { type: "write", shards },
      () => {
        for (const part of flush) if (!this.#isOld(part)) this.#apply(part, () => true, part.watermark);
      },
      (stored) => {
        for (const part of flush) if (!this.#isStored(part)) this.#apply(part, stored, undefined);
      },
    );
  }

  /** A late flush of an earlier owner: its rows are stored already, perhaps in newer versions. */
  #isOld(flush: ShardFlush): boolean {
    return flush.watermark < (this.#handle.store.watermarks.get(flush.shard) ?? 0);
  }

  /** All of it is stored already. A replaced owner removes nothing of it, since its deletes are as old as its rows. */
  #isStored(flush: ShardFlush): boolean {
    return flush.watermark <= (this.#handle.store.watermarks.get(flush.shard) ?? 0);
  }

  #apply(flush: ShardFlush, stored: (change: number) => boolean, watermark: number | undefined): void {
    for (const range of flush.deletedRanges) {
      const partition = this.#find(flush.shard, range.partition);
      if (!partition) continue;
      const [from, to] = bounds(partition, range);
      for (const key of partition.keys.splice(from, Math.max(0, to - from))) partition.values.delete(key);
    }
    for (const [index, change] of flush.changes.entries())
      if (stored(index) && !isRangeDeleted(flush, change)) this.#change(flush.shard, change);
    if (watermark !== undefined) this.#handle.store.watermarks.set(flush.shard, watermark);
  }

  #change(shard: number, change: RowChange): void {
    const name = `${shard}:${change.partition}`;
    let partition = this.#handle.store.partitions.get(name);
    if (!partition) {
      partition = { keys: [], values: new Map() };
      this.#handle.store.partitions.set(name, partition);
    }
    const { key } = change;
    const known = partition.values.has(key);
    if (change.value === undefined) {
      if (known) partition.keys.splice(lowerBound(partition.keys, key), 1);
      partition.values.delete(key);
      return;
    }
    if (!known) partition.keys.splice(lowerBound(partition.keys, key), 0, key);
    partition.values.set(key, copyOf(change.value));
  }

  measure({ next, count }: ChosenPartitions): Promise<void> {
    return this.#handle.run({ type: "scan", shard: 0 }, () => {
      for (const [name, { values }] of this.#handle.store.partitions) {
        const partition = name.slice(name.indexOf(":") + 1);
        if (next(partition) !== partition) continue;
        for (const [key, value] of values) count(partition, key.length + value.length);
      }
    });
  }

  #find(shard: number, partition: string): MemoryPartition | undefined {
    return this.#handle.store.partitions.get(`${shard}:${partition}`);
  }
}

function bounds(
  partition: MemoryPartition,
  range: { from?: string; to?: string },
): [from: number, to: number] {
  const { keys } = partition;
  return [
    range.from === undefined ? 0 : lowerBound(keys, range.from),
    range.to === undefined ? keys.length : lowerBound(keys, range.to),
  ];
}
