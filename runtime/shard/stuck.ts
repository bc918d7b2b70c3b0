import { type Refusal, refuse } from "#base";
import { undelivered } from "../refusals.ts";
import { abandonAsks } from "./abandon.ts";
import type { Shard } from "./shard.ts";

/** Now and then: whoever has waited too long for a store that does not answer is told so. */
export function answerStuck(shard: Shard, nowMs: number): void {
  const { commit, outbox, waiting } = shard;
  const { checkpoints, limits } = shard.thread;
  shard.reader.giveUp(limits.storeAnswerMsMax);
  outbox.giveUpOld(nowMs, limits.storeAnswerMsMax, undelivered());
  const sinceMs =
    shard.status === "opening" ? shard.openingMs : (commit.inFlight?.beganMs ?? checkpoints.behindSinceMs);
  if (sinceMs === undefined || nowMs - sinceMs < limits.storeAnswerMsMax) return;
  const refusal = stuckRefusal();
  commit.giveUpAnswers(refusal);
  outbox.giveUpAnswers(refusal);
  for (const cell of waiting.splice(0)) {
    abandonAsks(cell, refusal);
    cell.scheduled = false;
    // Nobody would count it any more: callers that come again and again must not fill the memory with empty cells.
    if (cell.idle) shard.forgetIdle(cell);
    else {
      cell.scheduled = true;
      waiting.push(cell);
    }
  }
}

function stuckRefusal(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "the store does not answer; whether this was stored is not known; repeat it with the same idempotency key",
    { retryAfterMs: 1_000 },
  );
}
