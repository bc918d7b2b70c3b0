import type { Context, Decision } from "#runtime";
import { type ActivationMessage, answerTo, no, type TargetFigures } from "../../../kit/activation.ts";
import type { CanaryCounts } from "../../../kit/canary.ts";
import type { RouterView } from "../../router.ts";
import { oldestCreatedAt } from "../memory/oldest.ts";
import { depthOf } from "../rows/stats.ts";
import type { Event, State } from "../state.ts";

/** What guardrails of a promotion compare; a queue whose pool is gone says so. */
export function sendStats(state: State, message: ActivationMessage, context: Context): Decision<Event> {
  const router = context.twin<RouterView & { readonly canary?: { readonly counts: CanaryCounts } }>("router");
  if (router.poolId !== message.targetId)
    return replied(message, no("TARGET_DELETED", "the pool is deleted"));
  const oldestAt = oldestCreatedAt(state, context);
  const recipients = [...router.recipients.values()];
  const ejected = recipients.filter(({ health }) => health.state !== "healthy").length;
  const counts = router.canary?.counts;
  const figures: TargetFigures = {
    queue_depth: depthOf(state),
    oldest_item_age_seconds: oldestAt === 0 ? 0 : Math.max(0, Math.floor((context.now - oldestAt) / 1_000)),
    dlq_depth: state.counts.dead - state.quarantined,
    ejected_percent: recipients.length === 0 ? 0 : (100 * ejected) / recipients.length,
    ...(counts?.candidateId === message.candidateId && {
      counts: { ...counts, canary: [...counts.canary], stable: [...counts.stable] },
    }),
  };
  return replied(message, { figures });
}

function replied(message: ActivationMessage, said: Parameters<typeof answerTo>[1]): Decision<Event> {
  const answer = answerTo(message, said);
  return { events: answer ? [{ type: "stats_sent", ...answer }] : [] };
}
