import { randomBytes } from "node:crypto";
import { type Refusal, refuse } from "#base";
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
  ending.refusal = masked(cause, log, { method: call.method.name, request_id: call.requestId });
}

export function masked(cause: unknown, log: PipelineTelemetry["log"], fields: object = {}): Refusal {
  const ref = randomBytes(4).toString("hex");
  log.error({ ref, err: cause, ...fields }, "a call failed");
  return refuse("INTERNAL", `Internal error (ref: ${ref})`);
}
