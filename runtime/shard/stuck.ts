import { type Refusal, refuse } from "#base";
import { undelivered } from "../refusals.ts";
import { type AbandoningShard, abandonAsks } from "./abandon.ts";
import type { Cell } from "./cell.ts";
import type { Reader } from "./reader.ts";
import type { ThreadParts } from "./thread-parts.ts";

/** What this needs of a shard. */
interface StuckShard extends AbandoningShard {
  readonly reader: Reader;
  readonly openingMs: number;
  readonly waiting: Cell[];
  readonly thread: AbandoningShard["thread"] & Pick<ThreadParts, "checkpoints">;
}

/** Now and then: callers that have waited too long for a store that does not answer are told so. */
export function answerStuck(shard: StuckShard, nowMs: number): void {
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

function stuckRefusal(): Refusal {
  return refuse(
    "UNAVAILABLE",
    "the store does not answer; whether this was stored is not known; repeat it with the same idempotency key",
    { retryAfterMs: 1_000 },
  );
}
