import type { types } from "cassandra-driver";
import { StorageError } from "../error.ts";
import { neverSent, reasonOf, unavailable } from "./errors.ts";
import type { Session, Verdict } from "./session.ts";
import { fencedBy, type ShardHandle, staticsOf } from "./shard.ts";
import { guardedStatements, journalStatements } from "./statements.ts";

/**
 * Removes whole batches by one range delete, on the condition that the caller owns the shard. A batch that reaches
 * beyond `upTo` stays, and replay skips its beginning. An unknown outcome needs no higher epoch: the statement can only
 * be applied while we own the shard, and then it was right.
 */
export async function trimShard(session: Session, handle: ShardHandle, upTo: number): Promise<void> {
  if (upTo <= handle.trimmed) return;
  const { shard, epoch, owner } = handle;
  let answer: Verdict;
  try {
    const holder = (await session.serial(journalStatements.holder, [shard, upTo])).first();
    const cut = holder === null ? 0 : lastCut(holder, upTo);
    answer = await session.conditional([
      { query: guardedStatements.cut, params: [shard, cut] },
      { query: journalStatements.trimmed, params: [upTo, shard, epoch, owner, upTo] },
    ]);
  } catch (error) {
    if (neverSent(error)) throw unavailable(`shard ${shard} was not trimmed`, error);
    throw new StorageError("unknown", `shard ${shard} may not have been trimmed: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  if (!answer.applied) {
    const stored = staticsOf(answer.row!);
    if (stored.owner !== owner || stored.epoch !== epoch) throw fencedBy(handle, stored);
  }
  handle.trimmed = upTo;
}

/** Batches that begin up to here are removed: the batch that holds `upTo` included if it ends there. */
function lastCut(holder: types.Row, upTo: number): number {
  const firstSeq = Number(holder.first_seq);
  return Number(holder.last_seq) <= upTo ? firstSeq : firstSeq - 1;
}
