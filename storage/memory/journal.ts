import { assert } from "#base";
import { StorageError } from "../error.ts";
import type { Journal, JournalBatch, JournalEntry, OpenedShard } from "../journal.ts";
import type { MemoryHandle } from "./handle.ts";
import { commit, copyOf, type MemoryShard, type UnsyncedBatch } from "./store.ts";

export class MemoryJournal implements Journal {
  readonly #handle: MemoryHandle;

  constructor(handle: MemoryHandle) {
    this.#handle = handle;
  }

  open(shards: readonly number[], view: number): Promise<readonly OpenedShard[]> {
    return this.#handle.run({ type: "open", shards }, () => {
      for (const number of shards) {
        const stored = this.#handle.store.shard(number).view;
        if (view < stored)
          throw new StorageError("fenced", `shard ${number} was taken on view ${stored}, ours is ${view}`);
      }
      return shards.map((number) => this.#take(number, view));
    });
  }

  #take(number: number, view: number): OpenedShard {
    const shard = this.#handle.store.shard(number);
    this.#handle.decideLeftover(shard);
    shard.epoch++;
    shard.view = view;
    return { shard: number, epoch: shard.epoch, head: shard.head };
  }

  async append(batch: JournalBatch): Promise<void> {
    const { shard: number, firstSeq, entries } = batch;
    const operation = { type: "append", shard: number, firstSeq, entryCount: entries.length } as const;
    const shard = this.#handle.store.shard(number);
    const written: UnsyncedBatch = { owner: this.#handle, operation, entries: entries.map(copyOf) };
    await this.#handle.run(operation, () => {
      checkFence(number, shard, batch.epoch);
      assert(firstSeq === shard.head + 1, `an append to shard ${number} follows its head ${shard.head}`);
      assert(shard.unsynced === undefined, `one append to shard ${number} at a time`);
      if (!this.#handle.interference.sync) {
        commit(shard, written);
        return;
      }
      shard.unsynced = written;
      return this.#sync(number, shard, batch.epoch, written);
    });
  }

  async #sync(number: number, shard: MemoryShard, epoch: number, written: UnsyncedBatch): Promise<void> {
    const verdict = await this.#handle.interference.sync?.(written.operation);
    this.#handle.checkAlive();
    if (verdict === "failed") {
      this.#handle.stop(`fsync of the journal failed at shard ${number}`);
      throw new StorageError("closed", "the process stops after an fsync error");
    }
    // "Fenced" promises that nothing was stored.
    if (written.kept)
      throw new StorageError("unknown", `shard ${number} was taken while an append was synced`);
    checkFence(number, shard, epoch);
    shard.unsynced = undefined;
    commit(shard, written);
  }

  async *replay(number: number, after: number): AsyncIterable<JournalEntry> {
    const shard = this.#handle.store.shard(number);
    const entries = await this.#handle.run({ type: "replay", shard: number }, () => {
      if (after < shard.trimmed)
        throw new StorageError(
          "corrupt",
          `shard ${number} is trimmed up to ${shard.trimmed}, asked from ${after}`,
        );
      return shard.entries.slice(after - shard.trimmed);
    });
    let seq = after;
    for (const bytes of entries) yield { seq: ++seq, bytes };
  }

  trim(number: number, epoch: number, upTo: number): Promise<void> {
    const shard = this.#handle.store.shard(number);
    return this.#handle.run({ type: "trim", shard: number }, () => {
      checkFence(number, shard, epoch);
      // Entries that are not in the tables are kept, even if the caller asks to trim them.
      const bound = Math.min(upTo, shard.head, this.#handle.store.watermarks.get(number) ?? 0);
      if (bound <= shard.trimmed) return;
      shard.entries.splice(0, bound - shard.trimmed);
      shard.trimmed = bound;
    });
  }
}

function checkFence(number: number, shard: MemoryShard, epoch: number): void {
  if (shard.epoch !== epoch)
    throw new StorageError("fenced", `shard ${number} is owned at epoch ${shard.epoch}, not ${epoch}`);
}
