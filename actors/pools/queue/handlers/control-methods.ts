import { limits } from "#base";
import type { Requests } from "#protos";
import { tellMeter } from "../../../kit/meter.ts";
import { answering } from "../../../kit/methods.ts";
import { view } from "../reads/view.ts";
import { depthOf } from "../rows/stats.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Methods, poolIdOf, readMethod } from "./method.ts";
import { drainStep, sample } from "./questions.ts";
import { timeMs } from "./request.ts";

const unitMs = { m: 60_000, h: 3_600_000 } as const;

/** `5m`, `168h`: as the contract has checked it. */
function millisecondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * unitMs[duration.at(-1) as keyof typeof unitMs];
}

export const controlMethods: Methods = {
  [sample.name]: answering(sample, ({ pool_id, recipients }) => ({
    type: "sample",
    poolId: pool_id,
    recipients,
  })),
  [tellMeter.name]: answering(tellMeter, ({ pool_id }) => ({ type: "tell", poolId: pool_id })),
  "QueueControlService.GetQueueStatus": readMethod(() => ({ type: "status" })),
  "QueueControlService.GetQueueSeries": readMethod(
    ({ window, step }: Requests["QueueControlService.GetQueueSeries"]) => ({
      type: "series",
      windowMs: millisecondsOf(window ?? "1h"),
      stepMs: millisecondsOf(step ?? "1m"),
    }),
  ),
  "QueueControlService.PauseQueue": {
    command: (request) => {
      const { until, reason } = request as { until?: string; reason?: string };
      return { type: "pause", poolId: poolIdOf(request), untilMs: timeMs(until), reason: reason ?? "" };
    },
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context),
  },
  "QueueControlService.ResumeQueue": {
    command: (request) => ({ type: "resume", poolId: poolIdOf(request) }),
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context),
  },
  [drainStep.name]: {
    command: (request) => {
      const { max_items } = request as { max_items: number };
      return { type: "drain", poolId: poolIdOf(request), most: Math.min(max_items, limits.queueStepMax) };
    },
    respond: (state, _events, _command, _context, answer) => ({
      drained: (answer as UnitOfWork).countOf("drained"),
      remaining_depth: depthOf(state),
    }),
  },
};
