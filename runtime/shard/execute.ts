import { type AcceptingShard, accept } from "./accept.ts";
import { answerDelivered, answerNow, answerSeen, replayDelivered } from "./answer.ts";
import { type ApplyingShard, apply } from "./apply.ts";
import type { AskOrigin, EffectOrigin, TimerOrigin, Work } from "./cell.ts";
import { type DecidingShard, decide } from "./decide.ts";
import { join } from "./join.ts";
import type { Next, Ran } from "./next.ts";
import { notNow } from "./not-now.ts";
import { type ParkingShard, park } from "./park.ts";
import { settle } from "./settle.ts";
import type { ThreadParts } from "./thread-parts.ts";
import { type LoadingShard, waitForRows } from "./wait-for-rows.ts";

/** What running a command needs of its shard. */
export interface ExecutingShard
  extends AcceptingShard,
    DecidingShard,
    ApplyingShard,
    LoadingShard,
    ParkingShard {
  readonly status: ApplyingShard["status"];
  readonly alarm: LoadingShard["alarm"];
  readonly buffer: AcceptingShard["buffer"];
  readonly context: ApplyingShard["context"];
  readonly reader: AcceptingShard["reader"];
  readonly turn: ApplyingShard["turn"];
  readonly thread: ApplyingShard["thread"] &
    ParkingShard["thread"] &
    DecidingShard["thread"] &
    Pick<ThreadParts, "logger">;
}

/**
 * Runs one command of a ready cell: accept, decide, apply and record, each once and in this order; then what the last of them handed on
 * happens. `resume` is called later if rows had to be read. Throws what a module threw.
 */
export function execute(shard: ExecutingShard, work: Work, now: number, resume: () => void): void {
  const decided = accept(shard, work, now) ?? decide(shard, work, now);
  const next = decided.next === "apply" ? apply(shard, work, decided.decided, now) : decided;
  proceed(shard, work, next, now, resume);
}

function proceed(shard: ExecutingShard, work: Work, next: Next, now: number, resume: () => void): void {
  switch (next.next) {
    case "read":
      waitForRows(shard, work, next.read, resume);
      break;
    case "commit":
      commit(shard, work, next);
      break;
    case "answer":
      answerNow(shard, work, next.reply);
      break;
    case "confirm":
      answerSeen(shard, work, work.origin as AskOrigin, next.reply);
      break;
    case "replay":
      replayDelivered(shard, work, next.reply);
      break;
    case "suspend":
      park(shard, work, next.untilMs, now);
      break;
    case "follow":
      follow(shard, work, next.leader);
      break;
    case "return":
      notNow(shard, work, next.refusal);
      break;
    case "settle":
      settle(shard, work);
      break;
    case "clear":
      clearTimer(shard, work, work.origin as TimerOrigin);
      break;
    case "reject":
      // Its place is free now: the effect that takes it may write a row of the runtime's own, between turns.
      shard.turn.close();
      (work.origin as EffectOrigin).reply(next.refusal);
      break;
    case "apply":
      throw new Error("a decision is applied once");
  }
}

/** What the command did is part of the turn; it joins the batch when the turn is closed. */
function commit(shard: ExecutingShard, work: Work, { reply, untilMs, sends, last }: Ran): void {
  shard.turn.ran(work, sends === undefined ? reply : undefined, untilMs);
  if (last) shard.turn.close();
  if (sends !== undefined) answerDelivered(shard, work, reply!, sends);
}

/** It waits with the same request that came before. */
function follow(shard: ExecutingShard, work: Work, leader: Work): void {
  const refusal = shard.thread.parking.enter(work);
  if (refusal !== undefined) answerNow(shard, work, refusal);
  else {
    leader.followers ??= [];
    leader.followers.push(work);
  }
}

function clearTimer(shard: ExecutingShard, work: Work, { timerId, dueMs }: TimerOrigin): void {
  const now = shard.now();
  shard.recorder.begin(now, shard.commit.decidedSeq + 1);
  shard.recorder.stale(work.entity, timerId, dueMs);
  join(shard, { now, address: undefined, steps: [] }, work.entity.cell, 1);
  settle(shard, work);
}
