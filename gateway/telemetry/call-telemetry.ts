import type { Logger } from "pino";
import type { Call } from "../calls/call.ts";
import { isLong } from "../calls/stages/concurrency.ts";
import type { PipelineTelemetry } from "../calls/stages/stage.ts";
import { createAccessTelemetry } from "./access-telemetry.ts";
import type { Metrics } from "./metrics.ts";
import { newSpanId, parseTraceparent, printTraceparent, type TraceContext } from "./trace-context.ts";
import type { CallSpan, Tracing } from "./tracing.ts";

/** What the pipeline reports, into metrics and traces. */
export function createCallTelemetry(metrics: Metrics, log: Logger, tracing?: Tracing): PipelineTelemetry {
  const access = createAccessTelemetry(metrics, log);
  const spans = new WeakMap<Call, CallSpan>();
  const streams = new Map<string, { open: number }>();

  return {
    log,
    callStarted(call) {
      if (isLong(call)) streamsOf(call).open++;
      const parent = parseTraceparent(call.headers.get("traceparent"));
      if (tracing === undefined) {
        if (parent !== undefined) answerWith(call, { ...parent, parentId: newSpanId() });
        return;
      }
      const span = tracing.start(call, parent);
      spans.set(call, span);
      answerWith(call, span.context);
    },
    callEnded(call, { code, durationMs }) {
      if (isLong(call)) streamsOf(call).open--;
      metrics.observe("service_request_duration_seconds", durationMs, { ...doorOf(call), code });
      if (code !== "OK") access.refused(call, code);
      spans.get(call)?.end(code);
    },
    credentialsAccepted: access.credentialsAccepted,
    credentialsRefused: access.credentialsRefused,
    deprecatedCalled(call) {
      metrics.add("service_deprecated_calls_total", { method: call.method.name, protocol: call.protocol });
    },
    graceAdmitted(call, item, reason) {
      metrics.add("service_entitlement_grace_admits_total", { method: call.method.name, reason });
      log.warn(
        {
          tenant: call.tenant,
          method: call.method.name,
          entitlement: item,
          reason,
          request_id: call.requestId,
        },
        "a call was let in that strict enforcement of entitlements would refuse",
      );
    },
  };

  function streamsOf(call: Call): { open: number } {
    const door = doorOf(call);
    const key = Object.values(door).join(" ");
    const found = streams.get(key) ?? { open: 0 };
    if (!streams.has(key)) metrics.gauge("service_streams_open", door, () => found.open);
    streams.set(key, found);
    return found;
  }
}

function doorOf({ method, protocol, plane }: Call) {
  return { method: method.name, protocol, plane };
}

/** The caller can find our part of its trace, and entities are told it. */
function answerWith(call: Call, context: TraceContext): void {
  call.trace = printTraceparent(context);
  call.responseHeaders.set("traceparent", call.trace);
}
