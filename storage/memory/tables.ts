import { assert, limits, lowerBound } from "#base";
import { isRangeDeleted, type RowChange, type RowKey, type ShardFlush, type Tables } from "../tables.ts";
import type { MemoryHandle } from "./handle.ts";
import { copyOf, type MemoryStore } from "./store.ts";

export function memoryTables(handle: MemoryHandle): Tables {
  const { store } = handle;
  const read = ({ shard, partition, key }: RowKey) => store.partition(shard, partition).values.get(key);
  const storedUpTo = (shard: number) => store.watermarks.get(shard) ?? 0;
  return {
    get: (key) => handle.run({ type: "get", shard: key.shard }, () => read(key)),
    getMany: (keys) => handle.run({ type: "get", shard: keys[0]?.shard ?? 0 }, () => keys.map(read)),
    scan: (range) =>
      handle.run({ type: "scan", shard: range.shard }, () => {
        const { keys, values } = store.partition(range.shard, range.partition);
        const [from, to] = bounds(keys, range);
        const count = Math.max(0, Math.min(range.limit, to - from));
        const first = range.reverse ? to - count : from;
        const found = keys.slice(first, first + count);
        if (range.reverse) found.reverse();
        return found.map((key) => ({ key, value: values.get(key)! }));
      }),
    watermark: (shard) => handle.run({ type: "watermark", shard }, () => storedUpTo(shard)),
    write(flush) {
      for (const { changes } of flush)
        for (const { key } of changes)
          assert(key.length <= limits.keyBytesMax, "a row's key fits keyBytesMax");
      const shards = flush.map((part) => part.shard);
      return handle.run(
        { type: "write", shards },
        () => {
          for (const part of flush) {
            // A late flush of an earlier owner: its rows are stored already, perhaps in newer versions.
            if (part.watermark < storedUpTo(part.shard)) continue;
            apply(store, part, () => true);
            store.watermarks.set(part.shard, part.watermark);
          }
        },
        (stored) => {
          // What is stored already stays: a replaced owner removes nothing of it, since its deletes are as old as its rows.
          for (const part of flush) if (part.watermark > storedUpTo(part.shard)) apply(store, part, stored);
        },
      );
    },
    measure: ({ next, count }) =>
      handle.run({ type: "scan", shard: 0 }, () => {
        for (const [name, { values }] of store.partitions) {
          const partition = name.slice(name.indexOf(":") + 1);
          if (next(partition) !== partition) continue;
          for (const [key, value] of values) count(partition, key.length + value.length);
        }
      }),
  };
}

function apply(store: MemoryStore, flush: ShardFlush, stored: (change: number) => boolean): void {
  for (const range of flush.deletedRanges) {
    const { keys, values } = store.partition(flush.shard, range.partition);
    const [from, to] = bounds(keys, range);
    for (const key of keys.splice(from, Math.max(0, to - from))) values.delete(key);
  }
  for (const [index, change] of flush.changes.entries())
    if (stored(index) && !isRangeDeleted(flush, change)) applyChange(store, flush.shard, change);
}

function applyChange(store: MemoryStore, shard: number, { partition, key, value }: RowChange): void {
  const { keys, values } = store.partition(shard, partition, value !== undefined);
  const known = values.has(key);
  if (value !== undefined) {
    if (!known) keys.splice(lowerBound(keys, key), 0, key);
    values.set(key, copyOf(value));
  } else if (known) {
    keys.splice(lowerBound(keys, key), 1);
    values.delete(key);
  }
}

function bounds(keys: readonly string[], { from, to }: { from?: string; to?: string }): [number, number] {
  return [
    from === undefined ? 0 : lowerBound(keys, from),
    to === undefined ? keys.length : lowerBound(keys, to),
  ];
}
