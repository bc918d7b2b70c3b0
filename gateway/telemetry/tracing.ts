import { setTimeout as sleep } from "node:timers/promises";
import type { Span } from "@opentelemetry/api";
import { limits } from "#base";
import type { Call } from "../calls/call.ts";
import type { TraceContext } from "./trace-context.ts";

/** Spans of calls; made only where an OTLP endpoint is set, and OpenTelemetry is loaded only then. */
export interface Tracing {
  start(call: Call, parent: TraceContext | undefined): CallSpan;
  /** What this node does for a call that another node took. */
  serve(method: string, parent: TraceContext): CallSpan;
  close(): Promise<void>;
}

export interface CallSpan {
  readonly context: TraceContext;
  end(code: string): void;
}

export async function startTracing(options: {
  readonly endpoint: string;
  readonly samplePercent: number;
  /** The name of this node in its cluster. */
  readonly node?: string;
}): Promise<Tracing> {
  const { context, SpanKind, SpanStatusCode, TraceFlags, trace } = await import("@opentelemetry/api");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } =
    await import("@opentelemetry/sdk-trace-node");
  // The SDK reads its resource from the environment; the name is ours unless the operator chose another.
  process.env.OTEL_SERVICE_NAME ??= "switchyard";
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.samplePercent / 100) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: options.endpoint }))],
  });
  const tracer = provider.getTracer("switchyard");

  return {
    start(call, parent) {
      const span = tracer.startSpan(
        call.method.name,
        {
          kind: SpanKind.SERVER,
          startTime: call.startedAtMs,
          attributes: {
            "rpc.system": call.protocol,
            "rpc.method": call.method.path,
            "service.plane": call.plane,
          },
        },
        parent === undefined ? context.active() : remote(parent),
      );
      return { context: contextOf(span), end: (code) => end(span, code) };
    },
    serve(method, parent) {
      const attributes = { "service.node": options.node ?? "" };
      const span = tracer.startSpan(
        `${method} (owner)`,
        { kind: SpanKind.INTERNAL, attributes },
        remote(parent),
      );
      return { context: contextOf(span), end: (code) => end(span, code) };
    },
    // A collector that is away, or does not answer, keeps no thread from ending.
    async close() {
      const late = sleep(limits.tracesFlushMs, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };

  function remote(parent: TraceContext) {
    return trace.setSpanContext(context.active(), {
      traceId: parent.traceId,
      spanId: parent.parentId,
      traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      isRemote: true,
    });
  }

  function contextOf(span: Span): TraceContext {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return { traceId, parentId: spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  function end(span: Span, code: string): void {
    span.setAttribute("service.error_code", code);
    if (code === "INTERNAL") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
}
