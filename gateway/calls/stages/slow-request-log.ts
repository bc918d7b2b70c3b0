import { limits } from "#base";
import { isLong } from "./concurrency.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/**
 * Innermost: what took long here took long in the handler, not in a stage before it. Under overload every call is slow,
 * and a line for each would be the next thing to wait for: so many a second, and one that counts the rest.
 */
export function slowRequestLog({ settings, telemetry }: PipelineParts): Stage {
  const { slowRequestMs } = settings;
  let lines = 0;
  let leftOut = 0;
  let slowestMs = 0;

  function startSecond(): void {
    setTimeout(() => {
      if (leftOut > 0)
        telemetry.log.warn({ left_out: leftOut, slowest_ms: slowestMs }, "more slow requests, left out");
      lines = 0;
      leftOut = 0;
      slowestMs = 0;
    }, 1_000).unref();
  }

  return {
    name: "slow-request-log",
    leave(call, { atMs }) {
      const durationMs = atMs - call.startedAtMs;
      if (durationMs < slowRequestMs || slowRequestMs === 0 || isLong(call)) return;
      if (lines === 0) startSecond();
      if (lines === limits.slowRequestLinesMax) {
        leftOut++;
        slowestMs = Math.max(slowestMs, durationMs);
        return;
      }
      lines++;
      const fields = { method: call.method.name, protocol: call.protocol, duration_ms: durationMs };
      telemetry.log.warn({ ...fields, request_id: call.requestId, tenant: call.tenant }, "slow request");
    },
  };
}
