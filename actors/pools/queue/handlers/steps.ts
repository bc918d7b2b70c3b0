import { handleOf, isRefusal, limits, RefusalError } from "#base";
import { ask } from "../../../kit/ask.ts";
import type { Orchestration } from "../../../module.ts";
import type { Purged } from "../dead-letters/purge.ts";
import { drainStep, purgeStep } from "./questions.ts";
import { olderThan } from "./request.ts";

/** Up to `max_items`, in steps that each are one commit. */
export const drainQueue: Orchestration = async (request, call) => {
  const { pool_id, max_items } = request as { pool_id: string; max_items: number };
  let drained = 0;
  for (let step = 0; ; step++) {
    const most = Math.min(max_items - drained, limits.queueStepMax);
    const answer = await ask(call, drainStep, {
      key: handleOf(pool_id),
      request: { pool_id, max_items: most },
      step: `#${step}`,
    });
    drained += answer.drained;
    if (answer.drained < most || drained >= max_items) return { ...answer, drained };
  }
};

/** Everything older than a time, in steps that each are one commit. */
export const purgeDeadLetters: Orchestration = async (request, call) => {
  const { pool_id, older_than, include_quarantined } = request as {
    pool_id: string;
    older_than?: string;
    include_quarantined?: boolean;
  };
  const before = olderThan(older_than, call.clock.now());
  if (isRefusal(before)) throw new RefusalError(before);
  let purged = 0;
  for (let step = 0, after = ""; ; step++) {
    const answer: Purged = await ask(call, purgeStep, {
      key: handleOf(pool_id),
      request: { pool_id, before, include_quarantined: include_quarantined ?? false, after },
      step: `#${step}`,
    });
    purged += answer.purged;
    after = answer.after;
    if (!answer.more) return { purged };
  }
};
