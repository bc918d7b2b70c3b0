import { EffectRunner } from "../../../runtime/effects/runner.ts";
import { WriteBuffer } from "../../../runtime/shard/buffer.ts";
import { Entity } from "../../../runtime/shard/cell.ts";
import { CommitLog } from "../../../runtime/shard/commit.ts";
import { Lane } from "../../../runtime/shard/outbox-lane.ts";
import { Recorder } from "../../../runtime/shard/recorder.ts";
import { TimerWindow } from "../../../runtime/shard/timers.ts";
import { Turn } from "../../../runtime/shard/turn.ts";
import { Mailboxes } from "../../../runtime/thread/mailboxes.ts";
import { Settled } from "../../../runtime/thread/settled.ts";
import { Thread } from "../../../runtime/thread/thread.ts";
import { type Storage, StorageError } from "../../../storage/index.ts";
import { noFaults } from "../faults.ts";
import { type PlantedBug, replace } from "../planted.ts";
import { epochMs } from "../process.ts";

/** Faults: modules that throw, and nothing else. */
export const failing = { ...noFaults, flaky: 0.02, latencyMs: 20 };

/** Bugs of the runtime and of its store. */
export const runtimeBugs: readonly PlantedBug[] = [
  {
    name: "a reply leaves before its commit",
    plant: () =>
      replace(CommitLog.prototype, "whenDurable", (hold, [seq, bytes, release]) =>
        bytes > 0 ? release(undefined) : hold(seq, bytes, release),
      ),
  },
  {
    name: "a message to another entity leaves before its commit",
    plant: () =>
      replace(CommitLog.prototype, "whenDurable", (hold, [seq, bytes, release]) =>
        bytes === 0 ? release(undefined) : hold(seq, bytes, release),
      ),
  },
  {
    name: "an append is acknowledged before it is synced",
    breakStorage: (storage) =>
      withAppend(storage, async (append, batch) => {
        append(batch).catch(() => {});
      }),
  },
  {
    name: "the epoch is not checked",
    breakStorage: (storage, store) =>
      withAppend(storage, (append, batch) => {
        const shard = store.shard(batch.shard);
        return append({ ...batch, epoch: shard.epoch, firstSeq: shard.head + 1 });
      }),
  },
  {
    name: "a time-out is taken for success",
    breakStorage: (storage) => withAppend(storage, (append, batch) => append(batch).catch(unlessUnknown)),
  },
  {
    name: "a time-out is taken for failure",
    breakStorage: (storage) =>
      withAppend(storage, (append, batch) =>
        append(batch).catch((failure: unknown) => {
          unlessUnknown(failure);
          throw new StorageError("unavailable", "guessed");
        }),
      ),
  },
  {
    name: "the last entry is cut off at every opening",
    breakStorage: (storage, store) => ({
      ...storage,
      journal: {
        ...storage.journal,
        open: (shards, view) => {
          for (const number of shards) {
            const shard = store.shard(number);
            if (shard.entries.pop() !== undefined) shard.head--;
          }
          return storage.journal.open(shards, view);
        },
      },
    }),
  },
  {
    name: "a checkpoint moves the watermark without one of its rows",
    breakStorage: (storage) => ({
      ...storage,
      tables: {
        ...storage.tables,
        write: (flush) =>
          storage.tables.write(flush.map((part) => ({ ...part, changes: part.changes.slice(1) }))),
      },
    }),
  },
  {
    name: "a checkpoint stores rows that are not durable",
    plant: () => replace(WriteBuffer.prototype, "nextToStore", (next) => next(Number.POSITIVE_INFINITY)),
  },
  {
    name: "a stored layer is dropped though an older read is open",
    plant: () =>
      replace(WriteBuffer.prototype, "beginRead", (begin, _none, buffer) => {
        const read = begin();
        buffer.endRead(read);
        return read;
      }),
  },
  { name: "the idempotency record is not in the commit", plant: () => dropRows("~once") },
  { name: "the outbox is not in the commit", plant: () => dropRows("~outbox") },
  {
    name: "what an outbox let go for a target that took nothing is not read again",
    faults: { tight: true, messageLost: 0.2, appendUnavailable: 0.05 },
    plant: () =>
      replace(Lane.prototype, "spill", (spill, _none, lane) => {
        const spilled = spill();
        if (spilled.length > 0) lane.cursor = spilled.at(-1)!.number + 1;
        return spilled;
      }),
  },
  { name: "the target does not remember what it has applied", plant: () => dropRows("~inbox") },
  {
    name: "the number of a message is forgotten before its sender knows that it arrived",
    plant: () => {
      const mend = [replace(Settled.prototype, "of", () => Number.MAX_SAFE_INTEGER), dropRows("~floor")];
      return () => {
        for (const one of mend) one();
      };
    },
  },
  {
    name: "the low watermark under which messages are repeats is not in the commit",
    plant: () => dropRows("~floor"),
  },
  {
    name: "a sender says of messages under way that they arrived",
    plant: () => replace(Lane.prototype, "first", () => undefined),
  },
  { name: "a broadcast is not in the commit", plant: () => dropRows("~broadcasts") },
  {
    name: "a broadcast is heard only where it was decided",
    plant: () =>
      replace(Thread.prototype, "broadcast", (_all, [topic, payload], thread) => thread.hear(topic, payload)),
  },
  { name: "a timer is not in the commit", plant: () => dropRows("~due") },
  {
    name: "a fired timer is not taken back",
    plant: () => replace(Recorder.prototype, "fired", () => undefined),
  },
  {
    name: "a timer fires early",
    plant: () => replace(TimerWindow.prototype, "takeDue", (take, [now, count]) => take(now + 400, count)),
  },
  {
    name: "an effect runs before its commit",
    plant: () =>
      replace(EffectRunner.prototype, "due", (due, [shard, address, id, dueMs]) => {
        const { durableSeq } = shard.commit;
        shard.commit.durableSeq = shard.commit.decidedSeq;
        due(shard, address, id, dueMs);
        shard.commit.durableSeq = durableSeq;
      }),
  },
  { name: "an effect is not in the commit", plant: () => dropRows("~effect") },
  {
    name: "an effect is lost at a take-over",
    plant: () =>
      replace(EffectRunner.prototype, "due", (due, [shard, address, id, dueMs]) =>
        dueMs < epochMs + shard.openingMs ? undefined : due(shard, address, id, dueMs),
      ),
  },
  {
    name: "a late result of an effect is taken",
    plant: () =>
      replace(Recorder.prototype, "effectStepped", (stepped, [entity, id, row, type, from]) =>
        type === "done" ? undefined : stepped(entity, id, row, type, from),
      ),
  },
  {
    name: "the mark that an effect began is not in the commit",
    plant: () =>
      replace(Recorder.prototype, "effectStepped", (stepped, [entity, id, row, type, from]) =>
        type === "begin" ? undefined : stepped(entity, id, row, type, from),
      ),
  },
  {
    name: "a range delete is forgotten",
    plant: () => replace(Recorder.prototype, "changeRange", () => undefined),
  },
  {
    name: "the mailbox limit is ignored",
    plant: () =>
      replace(Mailboxes.prototype, "enter", (enter, [entity, bytes], mailboxes) => {
        const before = { own: entity.depth, all: mailboxes.depth };
        entity.depth = 0;
        mailboxes.depth = 0;
        const refusal = enter(entity, bytes);
        entity.depth += before.own;
        mailboxes.depth += before.all;
        return refusal;
      }),
  },
  {
    name: "the bytes of a request are counted for ever",
    plant: () =>
      replace(Mailboxes.prototype, "left", (left, [work], mailboxes) => {
        left(work);
        mailboxes.bytes += work.bytes;
      }),
  },
  {
    name: "a read that has ended keeps what was stored meanwhile",
    plant: () =>
      replace(WriteBuffer.prototype, "endRead", (end, [read]) => (read % 50 === 0 ? undefined : end(read))),
  },
  {
    name: "a caller that waits for an append that failed is not told",
    plant: () =>
      replace(CommitLog.prototype, "abandon", (abandon) => abandon().filter(({ answers }) => answers === 0)),
  },
  {
    name: "what a command did that failed is committed",
    faults: failing,
    plant: () =>
      replace(Turn.prototype, "abandon", (abandon, _none, turn) => {
        turn.close();
        return abandon();
      }),
  },
  {
    name: "an entity that failed remembers messages that it has not applied",
    faults: failing,
    plant: () =>
      replace(Entity.prototype, "forget", (_forget, _none, entity) => {
        entity.timers.clear();
      }),
  },
  {
    name: "a cut-off owner goes on answering reads",
    // No other fault through which it could notice.
    faults: { ...noFaults, quiet: true, cut: true, move: true, actEveryMs: 2_000 },
    plant: () => replace(Thread.prototype, "ownershipProven", () => true),
  },
];

/** Rows of one of the runtime's own collections are dropped before the commit. */
function dropRows(collection: string): () => void {
  return replace(Recorder.prototype, "change", (change, [partition, key, value]) => {
    if (partition.collection !== collection) change(partition, key, value);
  });
}

type Append = Storage["journal"]["append"];

function withAppend(
  storage: Storage,
  append: (original: Append, ...args: Parameters<Append>) => Promise<void>,
): Storage {
  const { journal } = storage;
  return {
    ...storage,
    journal: { ...journal, append: (batch) => append((one) => journal.append(one), batch) },
  };
}

function unlessUnknown(failure: unknown): void {
  if (!(failure instanceof StorageError) || failure.kind !== "unknown") throw failure;
}
