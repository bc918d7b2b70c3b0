import { limits } from "#base";
import { view } from "../reads/view.ts";
import { depthOf } from "../rows/figures.ts";
import { drainedCount } from "./answers.ts";
import { inPool, type Methods, viewMethod } from "./method.ts";
import { timeMs } from "./request.ts";

export const controlMethods: Methods = {
  "QueueControlService.GetQueueStatus": viewMethod(() => ({ type: "status" })),
  "QueueControlService.PauseQueue": {
    command: (request) => {
      const { until, reason } = request as { until?: string; reason?: string };
      return inPool(request, { type: "pause", untilMs: timeMs(until), reason: reason ?? "" });
    },
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
  },
  "QueueControlService.ResumeQueue": {
    command: (request) => inPool(request, { type: "resume" }),
    respond: (state, _events, _command, context) => view(state, { type: "status" }, context, []),
  },
  /** One step; the orchestration goes on until it has drained as many as were asked for. */
  "QueueControlService.DrainQueue": {
    command: (request) => {
      const { max_items } = request as { max_items: number };
      return inPool(request, { type: "drain", most: Math.min(max_items, limits.queueStepMax) });
    },
    respond: (state, events) => ({
      drained: drainedCount(events),
      remaining_depth: depthOf(state),
    }),
  },
};
