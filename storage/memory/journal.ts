import { assert } from "#base";
import { corrupt, StorageError } from "../error.ts";
import type { Journal, OpenedShard } from "../journal.ts";
import type { MemoryHandle } from "./handle.ts";
import { commit, copyOf, type MemoryShard, type UnsyncedBatch } from "./store.ts";

export function memoryJournal(handle: MemoryHandle): Journal {
  const { store } = handle;

  function take(number: number, view: number): OpenedShard {
    const shard = store.shard(number);
    handle.decideLeftover(shard);
    shard.epoch++;
    shard.view = view;
    return { shard: number, epoch: shard.epoch, head: shard.head };
  }

  async function sync(number: number, shard: MemoryShard, epoch: number, written: UnsyncedBatch) {
    const verdict = await handle.interference.sync?.(written.operation);
    handle.checkAlive();
    if (verdict === "failed") {
      handle.stop(`fsync of the journal failed at shard ${number}`);
      throw new StorageError("closed", "the process stops after an fsync error");
    }
    // "Fenced" promises that nothing was stored.
    if (written.kept)
      throw new StorageError("unknown", `shard ${number} was taken while an append was synced`);
    checkFence(number, shard, epoch);
    shard.unsynced = undefined;
    commit(shard, written);
  }

  return {
    open: (shards, view) =>
      handle.run({ type: "open", shards }, () => {
        for (const number of shards) {
          const stored = store.shard(number).view;
          if (view < stored)
            throw new StorageError("fenced", `shard ${number} was taken on view ${stored}, ours is ${view}`);
        }
        return shards.map((number) => take(number, view));
      }),
    async append({ shard: number, epoch, firstSeq, entries }) {
      const operation = { type: "append", shard: number, firstSeq, entryCount: entries.length } as const;
      const shard = store.shard(number);
      const written: UnsyncedBatch = { owner: handle, operation, entries: entries.map(copyOf) };
      await handle.run(operation, () => {
        checkFence(number, shard, epoch);
        assert(firstSeq === shard.head + 1, `an append to shard ${number} follows its head ${shard.head}`);
        assert(shard.unsynced === undefined, `one append to shard ${number} at a time`);
        if (!handle.interference.sync) {
          commit(shard, written);
          return;
        }
        shard.unsynced = written;
        return sync(number, shard, epoch, written);
      });
    },
    async *replay(number, after) {
      const shard = store.shard(number);
      const entries = await handle.run({ type: "replay", shard: number }, () => {
        if (after < shard.trimmed)
          throw corrupt(`shard ${number} is trimmed up to ${shard.trimmed}, asked from ${after}`);
        return shard.entries.slice(after - shard.trimmed);
      });
      let seq = after;
      for (const bytes of entries) yield { seq: ++seq, bytes };
    },
    trim(number, epoch, upTo) {
      const shard = store.shard(number);
      return handle.run({ type: "trim", shard: number }, () => {
        checkFence(number, shard, epoch);
        // Entries that are not in the tables are kept, even if the caller asks to trim them.
        const bound = Math.min(upTo, shard.head, store.watermarks.get(number) ?? 0);
        if (bound <= shard.trimmed) return;
        shard.entries.splice(0, bound - shard.trimmed);
        shard.trimmed = bound;
      });
    },
  };
}

function checkFence(number: number, shard: MemoryShard, epoch: number): void {
  if (shard.epoch !== epoch)
    throw new StorageError("fenced", `shard ${number} is owned at epoch ${shard.epoch}, not ${epoch}`);
}
