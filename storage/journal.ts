/**
 * The fenced append log of a shard. `open` takes a shard: from then on every append of an earlier owner fails, for
 * ever. The sequences of a shard have no gaps and continue over epochs.
 */
export interface Journal {
  /**
   * Takes the shards. `view` is the membership version by which the caller should own them; an engine with several
   * nodes refuses ("fenced") a view older than the stored one. One durable step for the whole list.
   */
  open(shards: readonly number[], view: number): Promise<readonly OpenedShard[]>;
  /**
   * Resolves when the entries are durable under this epoch. Rejects with a StorageError whose `kind` says what is
   * known: "fenced" promises that nothing was stored. At most one append per shard may be under way; the caller batches what waits.
   */
  append(batch: JournalBatch): Promise<void>;
  /** Entries with a sequence greater than `after`, in order, each once. */
  replay(shard: number, after: number): AsyncIterable<JournalEntry>;
  /** Removes entries up to and including `upTo`, which the caller has in synced tables. */
  trim(shard: number, epoch: number, upTo: number): Promise<void>;
}

export interface OpenedShard {
  readonly shard: number;
  readonly epoch: number;
  /** Sequence of the last durable entry; 0 for a new shard. */
  readonly head: number;
}

export interface JournalBatch {
  readonly shard: number;
  readonly epoch: number;
  /** Sequence of the first entry: head + 1. */
  readonly firstSeq: number;
  readonly entries: readonly Uint8Array[];
}

export interface JournalEntry {
  readonly seq: number;
  readonly bytes: Uint8Array;
}
