import { limits, refuse } from "#base";
import type { EntityMethod } from "#runtime";
import type { PageRequest } from "../../kit/list.ts";
import { answered, answering } from "../../kit/methods.ts";
import { getRun, signalRun } from "../../kit/workflow-run.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

export const runMethods: Readonly<Record<string, EntityMethod<State, Command, Event>>> = {
  [getRun.name]: answered(() => ({ type: "get" })),
  "WorkflowRunService.CancelRun": answered(() => ({ type: "cancel" })),
  "WorkflowRunService.RetryRun": answered(() => ({ type: "retry" })),
  "WorkflowRunService.DismissRun": answered(() => ({ type: "dismiss" })),
  "WorkflowRunService.ListSteps": answered((request: PageRequest) => ({ type: "steps", request })),
  [signalRun.name]: answering(signalRun, ({ event_key: key, event_id: id = "", payload = null }) => {
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    const most = limits.workflowSignalBytesMax;
    if (bytes > most) return refuse("PAYLOAD_TOO_LARGE", `the payload has ${bytes} bytes, more than ${most}`);
    return { type: "signal", event: { id, key, payload } };
  }),
};
