import { corrupt } from "../error.ts";
import type { JournalBatch } from "../journal.ts";
import { encodeBatch } from "./batch.ts";
import { neverSent, unavailable } from "./errors.ts";
import { refusedBy, resolveUnknown } from "./resolve.ts";
import type { Session, Statement, Verdict } from "./session.ts";
import { type ShardHandle, staticsOf } from "./shard.ts";
import { guardedStatements, journalStatements } from "./statements.ts";

/**
 * One conditional batch: it writes the row and the new head if epoch, owner and head are still ours. An empty batch
 * asks the same without writing a row: it proves that the caller still owns the shard.
 */
export async function commit(session: Session, handle: ShardHandle, batch: JournalBatch): Promise<void> {
  const last = batch.firstSeq + batch.entries.length - 1;
  let answer: Verdict;
  try {
    answer = await session.conditional(statementsOf(handle, batch, last));
  } catch (error) {
    if (neverSent(error)) throw unavailable(`shard ${handle.shard} was not written`, error);
    await resolveUnknown(session, handle, batch, error);
    return;
  }
  if (!answer.applied) {
    const stored = staticsOf(answer.row!);
    if (stored.owner !== handle.owner || stored.epoch !== handle.epoch)
      throw await refusedBy(session, handle, batch, stored);
    // A coordinator may apply our proposal, lose track of it and then evaluate our condition against it: the head is
    // ours.
    if (stored.head !== last)
      throw corrupt(`shard ${handle.shard}: head is ${stored.head}, its only owner expected ${handle.head}`);
  }
  handle.head = last;
}

function statementsOf(handle: ShardHandle, batch: JournalBatch, last: number): Statement[] {
  const { shard, epoch, owner, head } = handle;
  const advance = { query: journalStatements.advance, params: [last, shard, epoch, owner, head] };
  if (batch.entries.length === 0) return [advance];
  const row = [shard, batch.firstSeq, last, epoch, encodeBatch(batch.entries)];
  return [{ query: guardedStatements.insert, params: row }, advance];
}
