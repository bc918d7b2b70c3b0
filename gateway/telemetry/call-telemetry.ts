import type { Logger } from "pino";
import type { Call } from "../calls/call.ts";
import type { PipelineTelemetry } from "../calls/stages/stage.ts";
import type { Histogram, Metrics } from "./metrics.ts";
import { newSpanId, parseTraceparent, printTraceparent, type TraceContext } from "./trace-context.ts";
import type { CallSpan, Tracing } from "./tracing.ts";

/** What the pipeline reports, into metrics and traces. */
export function createCallTelemetry(metrics: Metrics, log: Logger, tracing?: Tracing): PipelineTelemetry {
  const spans = new WeakMap<Call, CallSpan>();
  const series = new Map<Call["protocol"], Map<string, Map<object, Histogram>>>();

  return {
    log,
    callStarted(call) {
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
      histogramOf(call, code).observe(durationMs);
      spans.get(call)?.end(code);
    },
    deprecatedCalled(call) {
      metrics.add("service_deprecated_calls_total", { method: call.method.name, protocol: call.protocol });
    },
  };

  function histogramOf(call: Call, code: string): Histogram {
    // Found by what is at hand: a key made of these would be built and hashed for every call.
    const byMethod = within(within(series, call.protocol), code);
    let histogram = byMethod.get(call.method);
    if (histogram === undefined) {
      histogram = metrics.histogram("service_request_duration_seconds", {
        method: call.method.name,
        protocol: call.protocol,
        plane: call.plane,
        code,
      });
      byMethod.set(call.method, histogram);
    }
    return histogram;
  }
}

function within<Key, Inner, Value>(outer: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  let inner = outer.get(key);
  if (inner === undefined) {
    inner = new Map();
    outer.set(key, inner);
  }
  return inner;
}

/** The caller can find our part of its trace. */
function answerWith(call: Call, context: TraceContext): void {
  call.responseHeaders.set("traceparent", printTraceparent(context));
}
