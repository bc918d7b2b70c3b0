import type { Operation } from "./interference.ts";

/** What all handles of one memory engine share: the "disk" and, per shard, the owner. */
export class MemoryStore {
  readonly shards = new Map<number, MemoryShard>();
  /** Rows by shard and partition. */
  readonly partitions = new Map<string, MemoryPartition>();
  readonly watermarks = new Map<number, number>();
  readonly objects = new Map<string, Uint8Array>();
  tornTails = 0;

  shard(number: number): MemoryShard {
    let shard = this.shards.get(number);
    if (!shard) {
      shard = { epoch: 0, view: 0, head: 0, trimmed: 0, entries: [], unsynced: undefined };
      this.shards.set(number, shard);
    }
    return shard;
  }

  /** Empty if there is none; it is added to the others only if it is made. */
  partition(shard: number, partition: string, make = false): MemoryPartition {
    const name = `${shard}:${partition}`;
    const found = this.partitions.get(name) ?? { keys: [], values: new Map() };
    if (make) this.partitions.set(name, found);
    return found;
  }
}

export interface MemoryShard {
  epoch: number;
  view: number;
  head: number;
  /** Entries up to here are removed; `entries[0]` has sequence `trimmed + 1`. */
  trimmed: number;
  entries: Uint8Array[];
  /** Written and not synced: at most one batch per shard is under way. */
  unsynced: UnsyncedBatch | undefined;
}

export interface UnsyncedBatch {
  readonly owner: object;
  readonly operation: Operation;
  readonly entries: readonly Uint8Array[];
  /** Its owner was replaced before it heard that this is stored. */
  kept?: boolean;
}

/** Sorted keys beside their values. Keys are latin1 strings, which sort like their bytes. */
export interface MemoryPartition {
  readonly keys: string[];
  readonly values: Map<string, Uint8Array>;
}

/** A separate copy: Buffers share a pool, and a caller may reuse what it passed. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

export function commit(shard: MemoryShard, batch: UnsyncedBatch): void {
  for (const entry of batch.entries) shard.entries.push(entry);
  shard.head += batch.entries.length;
}
