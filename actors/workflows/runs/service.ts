import { limits, refuse } from "#base";
import { type AnyActorDefinition, defineActor, type EffectStep } from "#runtime";
import { answering, takes } from "../../kit/methods.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import { getRun, type OriginFinished, type RunSignal, signalRun } from "../../kit/workflow-run.ts";
import type { CallResult } from "./answers.ts";
import { type Command, decide } from "./decide.ts";
import type { RunCreation } from "./record.ts";
import { apply, bytesOf, empty, resident, restore } from "./state.ts";

export const runActor: AnyActorDefinition = defineActor({
  kind: "workflow_run",
  placement: "key",
  empty,
  resident,
  restore,
  bytesOf,
  environmentOf: ({ run }) => run?.environment,
  restMs: limits.workflowRestMs,
  decide,
  apply,
  methods: {
    [getRun.name]: takes<Command>("get"),
    "WorkflowRunService.CancelRun": takes<Command>("cancel"),
    "WorkflowRunService.RetryRun": takes<Command>("retry"),
    "WorkflowRunService.DismissRun": takes<Command>("dismiss"),
    "WorkflowRunService.ListSteps": takes<Command>("steps"),
    [signalRun.name]: answering(signalRun, ({ event_key: key, event_id: id = "", payload = null }) => {
      const bytes = Buffer.byteLength(JSON.stringify(payload));
      const most = limits.workflowSignalBytesMax;
      if (bytes <= most) return { type: "signal" as const, event: { id, key, payload } };
      return refuse("PAYLOAD_TOO_LARGE", `the payload has ${bytes} bytes, more than ${most}`);
    }),
  },
  onMessage: (message: RunCreation | OriginFinished | RunSignal | TenantPurge): Command => message,
  onTimer: (timer): Command => ({ type: timer === "forget" ? "forget" : "due" }),
  onEffect: (step: EffectStep<CallResult>): Command => ({ type: "effect", step }),
});
