import { randomUUID } from "node:crypto";
import { StorageError } from "../error.ts";
import { unavailable } from "./errors.ts";
import { pursue } from "./pursue.ts";
import type { Session, Statement } from "./session.ts";
import { readStatics, type ShardHandle, type ShardStatics } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/**
 * Takes a shard by a conditional write of the next epoch and a fresh nonce. The nonce, not the epoch, says whose write
 * it was when the answer is lost: so every round reads first and looks for it.
 */
export async function openShard(session: Session, shard: number, view: number): Promise<ShardHandle> {
  const owner = randomUUID();
  return await pursue(
    async () => {
      const stored = await readStatics(session, shard);
      if (stored?.owner === owner) return handleOf(shard, stored);
      assertView(shard, view, stored);
      await session.conditional([takeStatement(shard, view, owner, stored)]);
      const taken = await readStatics(session, shard);
      return taken?.owner === owner ? handleOf(shard, taken) : undefined;
    },
    (error) => unavailable(`shard ${shard} could not be opened`, error),
  );
}

/** Refuses, without a trace, what an own take-over would refuse. */
export async function checkView(session: Session, shard: number, view: number): Promise<void> {
  await pursue(
    async () => {
      assertView(shard, view, await readStatics(session, shard));
      return true;
    },
    (error) => unavailable(`shard ${shard} could not be opened`, error),
  );
}

function assertView(shard: number, view: number, stored: ShardStatics | undefined): void {
  if (stored === undefined || stored.view <= view) return;
  throw new StorageError(
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
