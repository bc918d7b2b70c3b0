import { StorageError } from "../error.ts";
import { type Arrangement, encodeArrangement } from "./arrangement.ts";
import { neverSent, reasonOf, unavailable } from "./errors.ts";
import { type Layout, readArrangement } from "./layouts.ts";
import { resolveUnknown } from "./resolve.ts";
import type { Session, Verdict } from "./session.ts";
import { fencedBy, lostError, type ShardHandle, staticsOf } from "./shard.ts";
import { guardedStatements, journalStatements } from "./statements.ts";

/**
 * Stores a new arrangement of a shard's buckets, on the condition that the caller still owns the shard. The same batch
 * raises the epoch, so that a copy of this statement that arrives late fails its condition. Call it in the shard's
 * lane. It rejects with "unavailable" if nothing was stored and never will be; after any other error it may have been
 * stored.
 */
export async function arrange(
  session: Session,
  layout: Layout,
  handle: ShardHandle,
  next: Arrangement,
): Promise<void> {
  if (handle.lost !== undefined) throw lostError(handle);
  const { shard, epoch, owner, granted, head } = handle;
  const what = `shard ${shard}: its borders`;
  const body = encodeArrangement(next);
  let answer: Verdict;
  try {
    answer = await session.conditional([
      { query: guardedStatements.arrange, params: [shard, body] },
      { query: journalStatements.bump, params: [epoch + 1, shard, epoch, owner] },
    ]);
  } catch (error) {
    if (neverSent(error)) throw unavailable(`${what} were not stored`, error);
    await resolveUnknown(session, handle, { shard, epoch: granted, firstSeq: head + 1, entries: [] }, error);
    layout.arrangement = await learned(session, handle);
    if (encodeArrangement(layout.arrangement).equals(body)) return;
    throw new StorageError("unavailable", `${what} were not stored: ${reasonOf(error)}`, { cause: error });
  }
  if (!answer.applied) {
    const stored = staticsOf(answer.row!);
    // A coordinator may apply our proposal, lose track of it and then evaluate our condition against it: the epoch is
    // ours.
    if (stored.owner !== owner || stored.epoch !== epoch + 1) throw fencedBy(handle, stored);
  }
  handle.epoch = epoch + 1;
  layout.arrangement = next;
}

async function learned(session: Session, handle: ShardHandle): Promise<Arrangement> {
  return await readArrangement(session, handle.shard).catch((error: unknown) => {
    // Without its borders the owner could divide nothing any more.
    handle.lost = "which borders are stored is not known: open the shard again";
    throw new StorageError("unknown", reasonOf(error), { cause: error });
  });
}
