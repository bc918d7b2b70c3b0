import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";
import { reasonOf } from "./errors.ts";
import type { Session, Statement } from "./session.ts";
import { readStatics, type ShardHandle, type ShardStatics } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/**
 * Takes a shard by a conditional write of the next epoch and a fresh nonce. The nonce, not the epoch, says whose write
 * it was when the answer is lost: so every round reads first and looks for it.
 */
export async function openShard(session: Session, shard: number, view: number): Promise<ShardHandle> {
  const owner = randomUUID();
  const giveUp = performance.now() + limits.cassandraResolveMsMax;
  let lastError: unknown = "contended";
  for (let round = 0; performance.now() < giveUp; round++) {
    if (round > 0) await sleep(Math.min(50 * round, 500));
    try {
      const stored = await readStatics(session, shard);
      if (stored?.owner === owner) return handleOf(shard, stored);
      if (stored !== undefined && stored.view > view) throw olderView(shard, view, stored);
      await session.conditional([takeStatement(shard, view, owner, stored)]);
      const taken = await readStatics(session, shard);
      if (taken?.owner === owner) return handleOf(shard, taken);
    } catch (error) {
      if (error instanceof StorageError) throw error;
      lastError = error;
    }
  }
  throw new StorageError("unavailable", `shard ${shard} could not be opened: ${reasonOf(lastError)}`, {
    cause: lastError,
  });
}

export function olderView(shard: number, view: number, stored: ShardStatics): StorageError {
  return new StorageError(
    "fenced",
    `shard ${shard} was taken on membership view ${stored.view}; this node's view is ${view}`,
  );
}

function takeStatement(
  shard: number,
  view: number,
  owner: string,
  stored: ShardStatics | undefined,
): Statement {
  if (stored === undefined) return { query: journalStatements.create, params: [1, owner, view, shard] };
  return {
    query: journalStatements.take,
    params: [stored.epoch + 1, owner, view, shard, stored.epoch, stored.owner],
  };
}

function handleOf(shard: number, stored: ShardStatics): ShardHandle {
  return {
    shard,
    granted: stored.epoch,
    owner: stored.owner,
    epoch: stored.epoch,
    head: stored.head,
    trimmed: stored.trimmed,
    lost: undefined,
  };
}
