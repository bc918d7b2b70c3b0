import type { Refusal } from "#base";
import { type AnsweringShard, answer } from "./answer.ts";
import type { Work } from "./cell.ts";

/** What giving work back needs of a shard. */
export interface ReturningShard extends AnsweringShard {
  readonly alarm: { arm(): void; handled(): void };
}

/** When a timer that could not be handled is tried again. */
const timerRetryMs = 1_000;

/** Gives work back to its caller, its sender or its timer, to be tried again later. */
export function notNow(shard: ReturningShard, work: Work, refusal: Refusal): void {
  const { origin, entity } = work;
  switch (origin.type) {
    case "ask":
      answer(shard, work, refusal, 0);
      return;
    case "message":
    case "effect":
      origin.reply(refusal);
      return;
    case "timer":
      shard.timers.retry(entity.address, origin.timerId, origin.dueMs, shard.now() + timerRetryMs);
      shard.alarm.handled();
      shard.alarm.arm();
      return;
  }
}
