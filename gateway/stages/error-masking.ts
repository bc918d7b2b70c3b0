import { randomBytes } from "node:crypto";
import { refuse } from "#base";
import type { Call } from "../call.ts";
import type { Ending, PipelineParts, PipelineTelemetry, Stage } from "./stage.ts";

/** A failure of ours is told by a reference only; the log has the cause under it. */
export function errorMasking({ telemetry }: PipelineParts): Stage {
  return {
    name: "error-masking",
    leave(call, ending) {
      if (ending.refusal?.code !== "INTERNAL") return;
      mask(ending.cause ?? ending.refusal.detail, call, ending, telemetry.log);
    },
  };
}

export function mask(cause: unknown, call: Call, ending: Ending, log: PipelineTelemetry["log"]): void {
  const ref = randomBytes(4).toString("hex");
  log.error({ ref, err: cause, method: call.method.name, request_id: call.requestId }, "a call failed");
  ending.refusal = refuse("INTERNAL", `Internal error (ref: ${ref})`);
}
