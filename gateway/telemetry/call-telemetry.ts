import type { Logger } from "pino";
import type { Call, Plane, Protocol } from "../calls/call.ts";
import { isLong } from "../calls/stages/concurrency.ts";
import type { PipelineTelemetry } from "../calls/stages/stage.ts";
import { createAccessTelemetry } from "./access-telemetry.ts";
import type { Histogram, Metrics } from "./metrics.ts";
import { newSpanId, parseTraceparent, printTraceparent, type TraceContext } from "./trace-context.ts";
import type { CallSpan, Tracing } from "./tracing.ts";

/** What the pipeline reports, into metrics and traces. */
export function createCallTelemetry(metrics: Metrics, log: Logger, tracing?: Tracing): PipelineTelemetry {
  const access = createAccessTelemetry(metrics, log);
  const spans = new WeakMap<Call, CallSpan>();
  const series = new Map<Plane, Map<Protocol, Map<string, Map<object, Histogram>>>>();
  const streams = new Map<Plane, Map<Protocol, Map<object, OpenStreams>>>();

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
      histogramOf(call, code).observe(durationMs);
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

  function histogramOf(call: Call, code: string): Histogram {
    // Found by what is at hand: a key made of these would be built and hashed for every call.
    const byMethod = within(within(within(series, call.plane), call.protocol), code);
    let histogram = byMethod.get(call.method);
    if (histogram === undefined) {
      histogram = metrics.histogram("service_request_duration_seconds", { ...doorOf(call), code });
      byMethod.set(call.method, histogram);
    }
    return histogram;
  }

  function streamsOf(call: Call): OpenStreams {
    const byMethod = within(within(streams, call.plane), call.protocol);
    let found = byMethod.get(call.method);
    if (found === undefined) {
      const made = { open: 0 };
      metrics.gauge("service_streams_open", doorOf(call), () => made.open);
      byMethod.set(call.method, made);
      found = made;
    }
    return found;
  }
}

interface OpenStreams {
  open: number;
}

function doorOf({ method, protocol, plane }: Call) {
  return { method: method.name, protocol, plane };
}

function within<Key, Inner, Value>(outer: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  let inner = outer.get(key);
  if (inner === undefined) {
    inner = new Map();
    outer.set(key, inner);
  }
  return inner;
}

/** The caller can find our part of its trace, and entities are told it. */
function answerWith(call: Call, context: TraceContext): void {
  call.trace = printTraceparent(context);
  call.responseHeaders.set("traceparent", call.trace);
}
