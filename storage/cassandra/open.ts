import { randomUUID } from "node:crypto";
import { StorageError } from "../error.ts";
import { pursue } from "./errors.ts";
import type { Session, Statement } from "./session.ts";
import { readStatics, type ShardHandle, type ShardStatics } from "./shard.ts";
import { journalStatements } from "./statements.ts";

/**
 * Takes a shard by a conditional write of the next epoch and a new nonce. When the answer is lost, the nonce (not the
 * epoch) tells whose write was applied: so every further attempt reads first and compares it. The first attempt also
 * makes the head a condition, which saves reading it afterwards. Under a busy owner that condition could fail for ever,
 * so later attempts omit it.
 */
export async function openShard(
  session: Session,
  shard: number,
  view: number,
  seen: ShardStatics | undefined,
): Promise<ShardHandle> {
  const owner = randomUUID();
  let round = 0;
  return await pursue(async () => {
    if (round++ === 0) {
      const { applied } = await session.conditional([takeStatement(shard, view, owner, seen, true)]);
      return applied ? handleOf(shard, nextOf(seen, owner, view)) : undefined;
    }
    const stored = await readStatics(session, shard);
    if (stored?.owner === owner) return handleOf(shard, stored);
    assertView(shard, view, stored);
    await session.conditional([takeStatement(shard, view, owner, stored, false)]);
    const taken = await readStatics(session, shard);
    return taken?.owner === owner ? handleOf(shard, taken) : undefined;
  }, `shard ${shard} could not be opened`);
}

/**
 * Refuses what a take-over would refuse, without writing anything. Returns the stored columns, which the take-over uses
 * as its condition.
 */
export async function lookAtShard(
  session: Session,
  shard: number,
  view: number,
): Promise<ShardStatics | undefined> {
  const { stored } = await pursue(
    async () => ({ stored: await readStatics(session, shard, "read") }),
    `shard ${shard} could not be opened`,
  );
  assertView(shard, view, stored);
  return stored;
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
  atHead: boolean,
): Statement {
  const { epoch } = nextOf(stored, owner, view);
  if (stored === undefined) return { query: journalStatements.create, params: [epoch, owner, view, shard] };
  const params = [epoch, owner, view, shard, stored.epoch, stored.owner];
  if (!atHead) return { query: journalStatements.take, params };
  return { query: journalStatements.takeAtHead, params: [...params, stored.head] };
}

function nextOf(stored: ShardStatics | undefined, owner: string, view: number): ShardStatics {
  const { epoch, head, trimmed } = stored ?? { epoch: 0, head: 0, trimmed: 0 };
  return { epoch: epoch + 1, owner, head, view, trimmed };
}

function handleOf(shard: number, { epoch, owner, head, trimmed }: ShardStatics): ShardHandle {
  return { shard, granted: epoch, owner, epoch, head, trimmed, lost: undefined };
}
