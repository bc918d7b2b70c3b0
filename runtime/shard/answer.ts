import { isRefusal, type Refusal, refuse } from "#base";
import type { Answer } from "../ask.ts";
import { lostRefusal, undelivered } from "../refusals.ts";
import type { AskOrigin, ShardStatus, Work } from "./cell.ts";
import { confirmation, type JoiningShard } from "./join.ts";
import type { Outbox } from "./outbox.ts";
import { sizeOfPlain } from "./plain.ts";
import type { ThreadParts } from "./thread-parts.ts";

/** What answering needs of a shard. */
export interface AnsweringShard extends JoiningShard {
  readonly number: number;
  readonly status: ShardStatus;
  readonly outbox: Outbox;
  readonly turn: AnsweringTurn;
  /** Why the store takes no changes now, as far as that is known. */
  readonly storeRefusal: Refusal | undefined;
  readonly thread: Pick<
    ThreadParts,
    "limits" | "clock" | "parking" | "sharesStore" | "schedule" | "ownershipProven"
  >;
}

interface AnsweringTurn {
  readonly isOpen: boolean;
  ranSeen(work: Work, reply: Answer): void;
  close(): void;
}

/** An answer that only tells what was seen, a refusal too. A method that asks for it has a commit prove who the owner is. */
export function answerSeen(shard: AnsweringShard, work: Work, origin: AskOrigin, reply: Answer): void {
  if (!origin.method.confirmed) {
    answerNow(shard, work, reply);
    return;
  }
  const refusal = writeRefusal(shard);
  if (refusal !== undefined) {
    answerNow(shard, work, refusal);
    return;
  }
  shard.turn.close();
  answer(shard, work, reply, confirmation(shard));
}

/** Answers by what the cell has come to. */
export function answerNow(shard: AnsweringShard, work: Work, reply: Answer): void {
  const { turn, commit } = shard;
  if (turn.isOpen) {
    turn.ranSeen(work, reply);
    return;
  }
  const origin = work.origin as AskOrigin;
  const { lastSeq } = work.entity.cell;
  if (lastSeq <= commit.durableSeq) tellSeen(shard, origin, reply);
  else {
    const tell = (refusal: Refusal | undefined) =>
      refusal === undefined ? tellSeen(shard, origin, reply) : origin.reply(refusal);
    commit.whenDurable(lastSeq, sizeOfAnswer(reply), tell, 1);
  }
  release(shard, work);
}

/** What it saw is durable. If another owner may have changed it since, a commit proves that none has. */
export function tellSeen(shard: AnsweringShard, origin: AskOrigin, reply: Answer): void {
  if (shard.thread.ownershipProven(shard)) {
    origin.reply(reply);
    return;
  }
  const refusal = writeRefusal(shard);
  if (refusal !== undefined) origin.reply(refusal);
  else answerAt(shard, origin, reply, confirmation(shard));
}

/** Calls back when a commit that begins after now has proven that no other process has the shard; at once where none can. */
export function proveOwner(shard: AnsweringShard, done: (refusal: Refusal | undefined) => void): void {
  if (!shard.thread.sharesStore) {
    done(undefined);
    return;
  }
  const refusal = shard.status === "ready" ? writeRefusal(shard) : lostRefusal();
  if (refusal !== undefined) done(refusal);
  else shard.commit.whenDurable(confirmation(shard), 0, done, 1);
}

/** The answer leaves when this position is durable. */
export function answer(shard: AnsweringShard, work: Work, reply: Answer, seq: number): void {
  answerAt(shard, work.origin as AskOrigin, reply, seq);
  release(shard, work);
}

function answerAt(shard: AnsweringShard, origin: AskOrigin, reply: Answer, seq: number): void {
  shard.commit.whenDurable(seq, sizeOfAnswer(reply), (refusal) => origin.reply(refusal ?? reply), 1);
}

export function answerDelivered(
  shard: AnsweringShard,
  work: Work,
  reply: Answer,
  sends: readonly number[],
): void {
  const origin = work.origin as AskOrigin;
  if (tooManyAwait(shard)) {
    answerNow(shard, work, undelivered());
    return;
  }
  shard.outbox.awaitDelivered(sends, (refusal) => origin.reply(refusal ?? reply));
  release(shard, work);
}

/** Where messages do not arrive, those who wait for them are not held without end. */
function tooManyAwait(shard: AnsweringShard): boolean {
  return shard.outbox.awaited >= shard.thread.limits.gatedRepliesMax;
}

/** A stored answer that had to wait for its messages waits for them again: first until they are durable. */
export function replayDelivered(shard: AnsweringShard, work: Work, stored: Answer): void {
  const origin = work.origin as AskOrigin;
  const { address, cell } = work.entity;
  shard.turn.close();
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

/** Requests with the same key that waited for this one run now: they meet its record, or run themselves. */
export function release(shard: AnsweringShard, work: Work): void {
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
export function beginWait(work: Work): void {
  const { idempotency } = work.origin as AskOrigin;
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
export function writeRefusal(shard: Pick<AnsweringShard, "storeRefusal" | "thread">): Refusal | undefined {
  const { clock } = shard.thread;
  if (clock.jumped)
    return refuse("UNAVAILABLE", "the clock jumped ahead; nothing is committed until that is settled", {
      reason: "CLOCK",
      retryAfterMs: 1_000,
    });
  return shard.storeRefusal;
}
