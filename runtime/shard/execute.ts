import { accept } from "./accept.ts";
import { answerNow, answerSeen, notNow, replayDelivered, settle } from "./answer.ts";
import { apply } from "./apply.ts";
import { type AskWork, asked, type Work } from "./cell.ts";
import { decide } from "./decide.ts";
import { join } from "./join.ts";
import type { Next } from "./next.ts";
import { park } from "./park.ts";
import type { ShardParts } from "./parts.ts";
import { read } from "./read.ts";

/**
 * Runs one command of a ready cell: accept, decide, apply and record, each once and in this order; then what the last of them handed on
 * happens. `resume` is called later if rows had to be read. Throws what a module threw.
 */
export function execute(shard: ShardParts, work: Work, now: number, resume: () => void): void {
  const decided = accept(shard, work, now) ?? decide(shard, work, now);
  const next = decided.next === "apply" ? apply(shard, work, decided.decided, now) : decided;
  proceed(shard, work, next, now, resume);
}

function proceed(shard: ShardParts, work: Work, next: Next, now: number, resume: () => void): void {
  switch (next.next) {
    case "read":
      shard.turn.close();
      read(shard, work, next.read, resume);
      break;
    case "commit":
      shard.turn.ran(work, next);
      break;
    case "answer":
      answerNow(shard, asked(work), next.reply);
      break;
    case "confirm":
      answerSeen(shard, asked(work), next.reply);
      break;
    case "replay":
      shard.turn.close();
      replayDelivered(shard, asked(work), next.reply);
      break;
    case "suspend":
      park(shard, asked(work), next.park, now);
      break;
    case "follow":
      follow(shard, asked(work), next.leader);
      break;
    case "return":
      notNow(shard, work, next.refusal);
      break;
    case "settle":
      settle(shard, work);
      break;
    case "clear":
      shard.recorder.begin(now, shard.commit.decidedSeq + 1);
      shard.recorder.stale(work.entity, next.timerId, next.dueMs);
      join(shard, { now, address: undefined, steps: [] }, work.entity.cell, 1);
      settle(shard, work);
      break;
    case "reject":
      // Its place is free now: the effect that takes it may write a row of the runtime's own, between turns.
      shard.turn.close();
      next.reply();
      break;
    case "apply":
      throw new Error("a decision is applied once");
  }
}

/** It waits with the same request that came before. */
function follow(shard: ShardParts, work: AskWork, leader: AskWork): void {
  const refusal = shard.thread.parking.enter(work);
  if (refusal !== undefined) answerNow(shard, work, refusal);
  else {
    leader.followers ??= [];
    leader.followers.push(work);
  }
}
