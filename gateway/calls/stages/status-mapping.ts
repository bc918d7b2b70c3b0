import { type Refusal, refuse, toFault } from "#base";
import type { Call } from "../call.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Turns whatever a handler threw into the one refusal that every door knows how to write. */
export function statusMapping(_parts: PipelineParts): Stage {
  return {
    name: "status-mapping",
    leave(call, ending) {
      if (ending.thrown === undefined) return;
      const fault = toFault(ending.thrown);
      delete ending.thrown;
      if ("refusal" in fault) {
        ending.refusal = fault.refusal;
        return;
      }
      ending.refusal = refusalOf(fault.error, call);
      ending.cause = fault.error;
    },
  };
}

function refusalOf(error: Error, call: Call): Refusal {
  if (error.name === "TimeoutError" || (error.name === "AbortError" && Date.now() >= call.deadlineMs))
    return timedOut;
  if (error.name === "AbortError") return cancelled;
  return refuse("INTERNAL", error.message);
}

export const timedOut = refuse("TIMEOUT", "the deadline passed before the answer was ready", {
  retryAfterMs: 1_000,
});
export const cancelled = refuse("CANCELLED", "the caller went away");
