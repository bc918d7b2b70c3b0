import { assert, limits } from "#base";
import { StorageError } from "../error.ts";
import type { Journal, JournalBatch, JournalEntry, OpenedShard } from "../journal.ts";
import { forEachBounded } from "./bounded.ts";
import { commit } from "./commit.ts";
import { assertFormat } from "./formats.ts";
import type { Lanes } from "./lanes.ts";
import type { Layouts } from "./layouts.ts";
import { lookAtShard, openShard } from "./open.ts";
import { replayShard } from "./replay.ts";
import { newestFormat } from "./schema.ts";
import type { Session } from "./session.ts";
import { fencedBy, lostError, readStatics, type ShardHandle, type ShardStatics } from "./shard.ts";
import { trimShard } from "./trim.ts";

/**
 * A shard is one partition. The owner whose nonce is stored in it may write, and every durable change is a conditional
 * write.
 */
export class CassandraJournal implements Journal {
  readonly #session: Session;
  readonly #lanes: Lanes;
  readonly #layouts: Layouts;
  readonly #formatMax: number;
  readonly #handles = new Map<number, ShardHandle>();
  #closed = false;

  constructor(session: Session, lanes: Lanes, layouts: Layouts, formatMax = newestFormat) {
    this.#session = session;
    this.#formatMax = formatMax;
    this.#lanes = lanes;
    this.#layouts = layouts;
  }

  async open(shards: readonly number[], view: number): Promise<readonly OpenedShard[]> {
    this.#assertOpen();
    const seen = new Map<number, ShardStatics | undefined>();
    const opened = new Map<number, OpenedShard>();
    // All shards are checked before the first is taken: a node with an old view must not fence the owners of half its
    // list.
    await Promise.all([
      assertFormat(this.#session, this.#formatMax, "fenced"),
      this.#forEach(shards, async (shard) => {
        seen.set(shard, await lookAtShard(this.#session, shard, view));
      }),
    ]);
    await this.#forEach(shards, async (shard) => {
      const handle = await openShard(this.#session, shard, view, seen.get(shard));
      await this.#layouts.opened(handle);
      this.#handles.set(shard, handle);
      opened.set(shard, { shard, epoch: handle.granted, head: handle.head });
    });
    return shards.map((shard) => opened.get(shard)!);
  }

  async append(batch: JournalBatch): Promise<void> {
    assert(batch.entries.length <= limits.batchEntriesMax, "a batch has at most batchEntriesMax entries");
    await this.#lanes.run(batch.shard, async () => {
      const handle = this.#handle(batch.shard, batch.epoch);
      assert(batch.firstSeq === handle.head + 1, "an append begins after the head");
      await commit(this.#session, handle, batch);
    });
  }

  async *replay(shard: number, after: number): AsyncIterable<JournalEntry> {
    this.#assertOpen();
    const handle = this.#handles.get(shard);
    const known = handle?.lost === undefined ? handle : undefined;
    try {
      yield* replayShard(this.#session, shard, after, known);
    } catch (error) {
      // Missing entries may have been trimmed by the next owner during this read.
      if (handle === undefined || !(error instanceof StorageError) || error.kind !== "corrupt") throw error;
      const stored = await readStatics(this.#session, shard).catch(() => undefined);
      throw stored === undefined || stored.owner === handle.owner ? error : fencedBy(handle, stored);
    }
  }

  async trim(shard: number, epoch: number, upTo: number): Promise<void> {
    await this.#lanes.run(shard, async () => {
      const handle = this.#handle(shard, epoch);
      // Sequences beyond our last write: either another owner wrote them, which an empty commit finds out, or this is a
      // bug.
      if (upTo > handle.head)
        await commit(this.#session, handle, { shard, epoch, firstSeq: handle.head + 1, entries: [] });
      assert(upTo <= handle.head, "only what is stored is trimmed");
      await trimShard(this.#session, handle, upTo);
    });
  }

  close(): void {
    this.#closed = true;
  }

  /**
   * After a failure no further shard is opened: the caller repeats the whole list, and these opens would compete with
   * it.
   */
  async #forEach(shards: readonly number[], task: (shard: number) => Promise<void>): Promise<void> {
    await forEachBounded(shards, limits.cassandraInFlightMax, (shard) =>
      this.#lanes.run(shard, () => task(shard)),
    );
  }

  #handle(shard: number, epoch: number): ShardHandle {
    this.#assertOpen();
    const handle = this.#handles.get(shard);
    if (handle === undefined || handle.granted !== epoch)
      throw new StorageError("fenced", `shard ${shard}: epoch ${epoch} is not the one opened here last`);
    if (handle.lost !== undefined) throw lostError(handle);
    return handle;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageError("closed", "the journal is closed");
  }
}
