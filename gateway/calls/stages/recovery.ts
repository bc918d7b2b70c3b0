import { toFault } from "#base";
import { mask } from "./error-masking.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Outermost: whatever a stage or a provider threw becomes a refusal, masked like any other failure of ours. */
export function recovery({ telemetry }: PipelineParts): Stage {
  return {
    name: "recovery",
    leave(call, ending) {
      if (ending.thrown === undefined) return;
      const fault = toFault(ending.thrown);
      if ("refusal" in fault) ending.refusal = fault.refusal;
      else mask(fault.error, call, ending, telemetry.log);
      delete ending.thrown;
    },
  };
}
