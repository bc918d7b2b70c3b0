import { corrupt, StorageError } from "../error.ts";
import type { JournalBatch } from "../journal.ts";
import { pursue, reasonOf } from "./errors.ts";
import type { Session } from "./session.ts";
import { fencedBy, readStatics, type ShardHandle, type ShardStatics, staticsOf } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/**
 * Decides a commit whose answer was lost. The statement may still reach a server, so reading is not enough: first the
 * owner raises its epoch, after which the condition of the late statement can never hold, and only then it reads the
 * head. Returns if the batch was applied; rejects with "unavailable" if it was not and never will be.
 */
export async function resolveUnknown(
  session: Session,
  handle: ShardHandle,
  batch: JournalBatch,
  cause: unknown,
): Promise<void> {
  const writtenUnder = handle.epoch;
  await pursue(
    async () => {
      if (handle.epoch === writtenUnder) await bump(session, handle, writtenUnder);
      const stored = await readStatics(session, handle.shard);
      if (stored?.owner !== handle.owner || stored.epoch !== handle.epoch)
        throw await lostTo(session, handle, batch, writtenUnder, stored);
      answer(handle, batch, stored, cause);
      return true;
    },
    (error) => notKnown(handle, batch, error),
  );
}

/**
 * Why a commit was refused when another owner has the shard. Contending coordinators may have applied it first, before
 * that owner took the shard: Cassandra answers "not applied" all the same.
 */
export async function refusedBy(
  session: Session,
  handle: ShardHandle,
  batch: JournalBatch,
  stored: ShardStatics,
): Promise<StorageError> {
  return await lostTo(session, handle, batch, handle.epoch, stored).catch((error: unknown) =>
    notKnown(handle, batch, error),
  );
}

function notKnown(handle: ShardHandle, batch: JournalBatch, error: unknown): StorageError {
  handle.lost = "the outcome of the write is unknown: open the shard again";
  const what = `shard ${handle.shard}: whether ${describe(batch)} was stored is not known`;
  return new StorageError("unknown", `${what}: ${reasonOf(error)}`, { cause: error });
}

/** Applied by this attempt or by an earlier one of ours: both leave epoch `written + 1` with our nonce. */
async function bump(session: Session, handle: ShardHandle, written: number): Promise<void> {
  const params = [written + 1, handle.shard, written, handle.owner];
  const verdict = await session.conditional([{ query: journalStatements.bump, params }]);
  if (verdict.applied || staticsOf(verdict.row!).owner === handle.owner) handle.epoch = written + 1;
}

function answer(handle: ShardHandle, batch: JournalBatch, stored: ShardStatics, cause: unknown): void {
  const before = handle.head;
  const last = batch.firstSeq + batch.entries.length - 1;
  if (stored.head === last) {
    handle.head = last;
    return;
  }
  if (stored.head !== before)
    throw corrupt(`shard ${handle.shard}: head is ${stored.head}, neither ${before} nor ${last}`);
  throw new StorageError(
    "unavailable",
    `shard ${handle.shard}: ${describe(batch)} was not stored and never will be: ${reasonOf(cause)}`,
    { cause },
  );
}

/**
 * The shard has another owner. "Fenced" promises that nothing was stored, so it is returned only when that is proven.
 * The new owner reports a batch that was stored before the take-over.
 */
async function lostTo(
  session: Session,
  handle: ShardHandle,
  batch: JournalBatch,
  writtenUnder: number,
  stored: ShardStatics | undefined,
): Promise<StorageError> {
  if (stored === undefined) return corrupt(`shard ${handle.shard}: its partition is gone`);
  const fenced = fencedBy(handle, stored);
  if (batch.entries.length === 0 || stored.head < batch.firstSeq) return fenced;
  const result = await session.serial(journalStatements.holder, [handle.shard, batch.firstSeq]);
  const holder = result.first();
  if (
    holder !== null &&
    Number(holder.first_seq) === batch.firstSeq &&
    Number(holder.batch_epoch) !== writtenUnder
  )
    return fenced;
  return new StorageError(
    "unknown",
    `${fenced.message}; ${describe(batch)} may have been stored before that`,
  );
}

function describe(batch: JournalBatch): string {
  const last = batch.firstSeq + batch.entries.length - 1;
  return batch.entries.length === 0 ? "an empty batch" : `${batch.firstSeq}..${last}`;
}
