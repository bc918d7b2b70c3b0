import { type Refusal, refuse } from "#base";
import { begunRefusal, isLost, undelivered } from "../refusals.ts";
import { endWait, notNow } from "./answer.ts";
import { type Cell, isAsk, type Work } from "./cell.ts";
import { releaseLookups } from "./idempotency.ts";
import type { ShardParts } from "./parts.ts";
import { tellAll } from "./tell-all.ts";

/** Gives back everything a cell holds: at the end of an ownership term, or because the cell cannot run for a while. */
export function abandonCell(shard: ShardParts, cell: Cell, refusal: Refusal): void {
  const { thread } = shard;
  const works = [...cell.system.drain(), ...cell.woken.drain()];
  if (cell.loading !== undefined) works.unshift(cell.loading);
  cell.loading = undefined;
  for (const work of cell.asks.drain()) {
    thread.mailboxes.left(work);
    works.push(work);
  }
  for (const entity of cell.entities) {
    for (const work of entity.parked.splice(0)) {
      work.unpark?.();
      works.push(work);
    }
    entity.parkedCommands.length = 0;
  }
  cell.parkedScopes.clear();
  releaseLookups(shard, cell);
  thread.residents.remove(cell);
  tellAll(works, (work) => abandonWork(shard, work, refusal));
  if (cell.isolatedUntilMs === 0) shard.forgetIdle(cell);
}

/** Gives back only what callers ask, begun or not; messages and timers go on when they can. */
function abandonAsks(shard: ShardParts, cell: Cell, refusal: Refusal): void {
  releaseLookups(shard, cell);
  const works: Work[] = cell.woken.drain();
  for (const work of cell.system.drain()) (isAsk(work) ? works : cell.system).push(work);
  for (const work of cell.asks.drain()) {
    shard.thread.mailboxes.left(work);
    works.push(work);
  }
  tellAll(works, (work) => {
    endWait(work);
    abandonWork(shard, work, refusal);
  });
}

export function abandonWork(shard: ShardParts, work: Work, refusal: Refusal): void {
  const { origin } = work;
  switch (origin.type) {
    case "ask":
      shard.thread.parking.left(work);
      origin.reply(work.begun && isLost(refusal) ? begunRefusal() : refusal);
      for (const follower of work.followers ?? []) abandonWork(shard, follower, refusal);
      return;
    case "message":
    case "effect":
      origin.reply(refusal);
      return;
    case "timer":
      if (shard.status !== "dropped") notNow(shard, work, refusal);
      return;
  }
}

/** Now and then: callers that have waited too long for a store that does not answer are told so. */
export function answerStuck(shard: ShardParts, nowMs: number): void {
  const { commit, outbox, waiting } = shard;
  const { checkpoints, limits } = shard.thread;
  shard.reader.giveUp(limits.storeAnswerMsMax);
  outbox.giveUpOld(nowMs, limits.storeAnswerMsMax, undelivered());
  const sinceMs =
    shard.status === "opening" ? shard.openingMs : (commit.inFlight?.beganMs ?? checkpoints.behindSinceMs);
  if (sinceMs === undefined || nowMs - sinceMs < limits.storeAnswerMsMax) return;
  const refusal = refuse(
    "UNAVAILABLE",
    "the store does not answer; whether this was stored is not known; repeat it with the same idempotency key",
    { retryAfterMs: 1_000 },
  );
  commit.giveUpAnswers(refusal);
  outbox.giveUpAnswers(refusal);
  for (const cell of waiting.splice(0)) {
    abandonAsks(shard, cell, refusal);
    cell.scheduled = false;
    // No bound would count it any more: callers that come again and again must not fill the memory with empty cells.
    if (cell.idle) shard.forgetIdle(cell);
    else {
      cell.scheduled = true;
      waiting.push(cell);
    }
  }
}
