import { decodeEntry, type Entry } from "../../runtime/shard/entry.ts";
import type { JournalBatch, Storage } from "../../storage/index.ts";
import type { MemoryStore } from "../../storage/memory/index.ts";

/** The content of one position of a shard's journal. */
export interface DurableEntry {
  readonly shard: number;
  readonly seq: number;
  readonly entry: Entry;
}

/**
 * Checks every append at the moment it is acknowledged: its entries are in the store, and no other owner was ever
 * acknowledged for the same positions. Keeps everything that ever became durable, also after the store has trimmed it.
 */
export class JournalWatch {
  readonly #store: MemoryStore;
  readonly #violate: (claim: string) => void;
  readonly #acknowledged = new Map<string, Uint8Array>();
  /** By shard, from the first position on. */
  readonly #kept = new Map<number, Uint8Array[]>();

  constructor(store: MemoryStore, violate: (claim: string) => void) {
    this.#store = store;
    this.#violate = violate;
  }

  wrap(storage: Storage): Storage {
    const { journal } = storage;
    return {
      tables: storage.tables,
      objects: storage.objects,
      close: () => storage.close(),
      journal: {
        open: (shards, view) => journal.open(shards, view),
        replay: (shard, after) => journal.replay(shard, after),
        trim: (shard, epoch, upTo) => {
          this.#keep(shard);
          return journal.trim(shard, epoch, upTo);
        },
        append: async (batch) => {
          await journal.append(batch);
          this.#check(batch);
        },
      },
    };
  }

  /** Durable entries, acknowledged or not. */
  *durable(): Generator<DurableEntry> {
    for (const shard of this.#store.shards.keys())
      for (const [index, entry] of this.#keep(shard).entries())
        yield { shard, seq: index + 1, entry: decodeEntry(entry) };
  }

  #keep(number: number): readonly Uint8Array[] {
    const { entries, trimmed } = this.#store.shard(number);
    const kept = this.#kept.get(number) ?? [];
    this.#kept.set(number, kept);
    kept.push(...entries.slice(kept.length - trimmed));
    return kept;
  }

  #check(batch: JournalBatch): void {
    const shard = this.#store.shard(batch.shard);
    for (const [index, entry] of batch.entries.entries()) {
      const seq = batch.firstSeq + index;
      const name = `${batch.shard}/${seq}`;
      const before = this.#acknowledged.get(name);
      if (before !== undefined) this.#violate(`position ${name} was acknowledged twice`);
      this.#acknowledged.set(name, entry);
      const stored = shard.entries[seq - shard.trimmed - 1];
      if (seq > shard.trimmed && (stored === undefined || Buffer.compare(stored, entry) !== 0))
        this.#violate(`position ${name} was acknowledged and is not what is stored`);
    }
  }
}
