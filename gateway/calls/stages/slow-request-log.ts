import { limits } from "#base";
import { isLong } from "./concurrency.ts";
import { LineLimit } from "./line-limit.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Innermost: what took long here took long in the handler, not in a stage before it. */
export function slowRequestLog({ settings, telemetry }: PipelineParts): Stage {
  const { slowRequestMs } = settings;
  let slowestMs = 0;
  const lines = new LineLimit(limits.slowRequestLinesMax, (leftOut) => {
    telemetry.log.warn({ left_out: leftOut, slowest_ms: slowestMs }, "more slow requests, left out");
    slowestMs = 0;
  });

  return {
    name: "slow-request-log",
    leave(call, { atMs }) {
      const durationMs = atMs - call.startedAtMs;
      if (durationMs < slowRequestMs || slowRequestMs === 0 || isLong(call)) return;
      if (!lines.take()) {
        slowestMs = Math.max(slowestMs, durationMs);
        return;
      }
      const fields = { method: call.method.name, protocol: call.protocol, duration_ms: durationMs };
      telemetry.log.warn({ ...fields, request_id: call.requestId, tenant: call.tenant }, "slow request");
    },
  };
}
