import { isRefusal, type Refusal, refuse } from "#base";
import type { Answer } from "../ask.ts";
import { lostRefusal, undelivered } from "../refusals.ts";
import type { AskWork, Work } from "./cell.ts";
import { confirmation } from "./join.ts";
import type { ShardParts } from "./parts.ts";
import { sizeOfPlain } from "./plain.ts";

/** When a timer that could not be handled is tried again. */
const timerRetryMs = 1_000;

/** An answer that only tells what was seen, a refusal too. A method that asks for it has a commit prove who the owner is. */
export function answerSeen(shard: ShardParts, work: AskWork, reply: Answer): void {
  const { confirmed } = work.origin.method;
  const refusal = confirmed ? writeRefusal(shard) : undefined;
  if (!confirmed || refusal !== undefined) {
    answerNow(shard, work, refusal ?? reply);
    return;
  }
  shard.turn.close();
  const { origin } = work;
  const tell = (failure: Refusal | undefined) => origin.reply(failure ?? reply);
  shard.commit.whenDurable(confirmation(shard), sizeOfAnswer(reply), tell, 1);
  release(shard, work);
}

/** Answers by what the cell has come to. */
export function answerNow(shard: ShardParts, work: AskWork, reply: Answer): void {
  const { turn, commit } = shard;
  if (turn.isOpen) {
    turn.ran(work, { next: "commit", reply, seen: true });
    return;
  }
  const { lastSeq } = work.entity.cell;
  const bytes = lastSeq <= commit.durableSeq ? 0 : sizeOfAnswer(reply);
  const tell = (refusal: Refusal | undefined) =>
    refusal === undefined ? tellSeen(shard, work, reply) : work.origin.reply(refusal);
  commit.whenDurable(lastSeq, bytes, tell, 1);
  release(shard, work);
}

/** What it saw is durable. If another owner may have changed it since, a commit proves that none has. */
export function tellSeen(shard: ShardParts, { origin }: AskWork, reply: Answer): void {
  if (shard.thread.ownershipProven(shard)) origin.reply(reply);
  else proveOwner(shard, (refusal) => origin.reply(refusal ?? reply), sizeOfAnswer(reply));
}

/** Calls back when a commit that begins after now has proven that no other process has the shard; at once where none can. */
export function proveOwner(shard: ShardParts, done: (refusal: Refusal | undefined) => void, bytes = 0): void {
  if (!shard.thread.sharesStore) {
    done(undefined);
    return;
  }
  const refusal = shard.status === "ready" ? writeRefusal(shard) : lostRefusal();
  if (refusal !== undefined) done(refusal);
  else shard.commit.whenDurable(confirmation(shard), bytes, done, 1);
}

/** The answer leaves when these messages were applied by their targets. */
export function answerDelivered(
  shard: ShardParts,
  work: AskWork,
  reply: Answer,
  sends: readonly number[],
): void {
  const { origin } = work;
  if (tooManyAwait(shard)) {
    answerNow(shard, work, undelivered());
    return;
  }
  shard.outbox.awaitDelivered(sends, (refusal) => origin.reply(refusal ?? reply));
  release(shard, work);
}

/** Where messages do not arrive, those who wait for them are not held without end. */
function tooManyAwait(shard: ShardParts): boolean {
  return shard.outbox.awaited >= shard.thread.limits.gatedRepliesMax;
}

/** A stored answer that had to wait for its messages waits for them again: first until they are durable. */
export function replayDelivered(shard: ShardParts, work: AskWork, stored: Answer): void {
  const { origin } = work;
  const { address, cell } = work.entity;
  shard.commit.whenDurable(
    cell.lastSeq,
    128,
    (refusal) => {
      if (refusal !== undefined) return origin.reply(refusal);
      const pending = shard.outbox.pendingOf(address);
      if (pending === undefined || tooManyAwait(shard)) return origin.reply(undelivered());
      shard.outbox.awaitDelivered(pending, (failure) => origin.reply(failure ?? stored));
    },
    1,
  );
  release(shard, work);
}

/** A message, a timer or a step of an effect is done with when its commit is durable. */
export function settle(shard: ShardParts, { origin, entity, told }: Work): void {
  const { lastSeq } = entity.cell;
  if (origin.type === "message") shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal));
  else if (origin.type === "effect")
    shard.commit.whenDurable(lastSeq, 0, (refusal) => origin.reply(refusal, told));
  else shard.alarm.handled();
}

/** Gives work back to its caller, its sender or its timer, to be tried again later. */
export function notNow(shard: ShardParts, work: Work, refusal: Refusal): void {
  const { origin, entity } = work;
  if (origin.type !== "timer") {
    origin.reply(refusal);
    if (origin.type === "ask") release(shard, work);
    return;
  }
  shard.timers.retry(entity.address, origin.timerId, origin.dueMs, shard.now() + timerRetryMs);
  shard.alarm.handled();
  shard.alarm.arm();
}

/** Requests with the same key that waited for this one run now: they meet its record, or run themselves. */
export function release(shard: ShardParts, work: Work): void {
  const { cell } = work.entity;
  shard.thread.parking.left(work);
  endWait(work);
  if (work.followers === undefined) return;
  for (const follower of work.followers) {
    // Looked up before this one was decided.
    follower.record = undefined;
    cell.woken.push(follower);
  }
  work.followers = undefined;
  shard.thread.schedule(cell);
}

/** From here on repeats of this request wait with it. */
export function beginWait(work: AskWork): void {
  const { idempotency } = work.origin;
  if (idempotency !== undefined) work.entity.cell.parkedScopes.set(idempotency.scope, work);
}

/** Repeats that come now do not wait for it. Another request that does wait may have the same key. */
export function endWait(work: Work): void {
  const { origin, entity } = work;
  if (origin.type !== "ask" || origin.idempotency === undefined) return;
  const { parkedScopes } = entity.cell;
  if (parkedScopes.get(origin.idempotency.scope) === work) parkedScopes.delete(origin.idempotency.scope);
}

export function sizeOfAnswer(reply: Answer): number {
  return isRefusal(reply) ? 128 : sizeOfPlain(reply.response);
}

/** Why nothing can be committed now. */
export function writeRefusal(shard: Pick<ShardParts, "storeRefusal" | "thread">): Refusal | undefined {
  if (!shard.thread.clock.jumped) return shard.storeRefusal;
  return refuse("UNAVAILABLE", "the clock jumped ahead; nothing is committed until that is settled", {
    reason: "CLOCK",
    retryAfterMs: 1_000,
  });
}
