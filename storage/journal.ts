/**
 * The fenced append log of a shard. `open` takes a shard: from then on every earlier owner's append fails, for ever.
 * Sequences of a shard are gapless and go on over epochs.
 */
export interface Journal {
  /**
   * Takes the shards. `view` is the membership version on which the caller believes it should own them; an engine with
   * several nodes refuses ("fenced") a view older than the one stored. One durable step for the whole list.
   */
  open(shards: readonly number[], view: number): Promise<readonly OpenedShard[]>;
  /**
   * Resolves when the entries are durable under this epoch. Rejects with a StorageError whose `kind` says what is known.
   * At most one append per shard is under way; the caller batches what waits.
   */
  append(batch: JournalBatch): Promise<void>;
  /** Entries with a sequence greater than `after`, in order, each once. */
  replay(shard: number, after: number): AsyncIterable<JournalEntry>;
  /** Forgets entries up to and including `upTo`; the caller has them in synced tables. */
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
