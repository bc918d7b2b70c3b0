import { limits } from "#base";
import { view } from "../reads/view.ts";
import { depthOf } from "../rows/stats.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Methods, poolIdOf, readMethod } from "./method.ts";
import { drainStep } from "./questions.ts";
import { timeMs } from "./request.ts";

export const controlMethods: Methods = {
  "QueueControlService.GetQueueStatus": readMethod(() => ({ type: "status" })),
  "QueueControlService.PauseQueue": {
    command: (request) => {
      const { until, reason } = request as { until?: string; reason?: string };
      return { type: "pause", poolId: poolIdOf(request), untilMs: timeMs(until), reason: reason ?? "" };
    },
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
  },
  "QueueControlService.ResumeQueue": {
    command: (request) => ({ type: "resume", poolId: poolIdOf(request) }),
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
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
