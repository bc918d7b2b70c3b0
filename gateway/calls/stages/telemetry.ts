import { toFault } from "#base";
import type { Ending, PipelineParts, Stage } from "./stage.ts";

/** Counts, times and traces every call, refused ones included. */
export function telemetry({ telemetry }: PipelineParts): Stage {
  return {
    name: "telemetry",
    enter(call) {
      telemetry.callStarted(call);
    },
    leave(call, ending) {
      telemetry.callEnded(call, { code: codeOf(ending), durationMs: ending.atMs - call.startedAtMs });
    },
  };
}

function codeOf(ending: Ending) {
  if (ending.refusal !== undefined) return ending.refusal.code;
  if (ending.thrown === undefined) return "OK";
  const fault = toFault(ending.thrown);
  return "refusal" in fault ? fault.refusal.code : "INTERNAL";
}
