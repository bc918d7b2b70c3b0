/** Logs, metrics and traces of one thread. Losing them loses nothing else. */
export { createCallTelemetry } from "./call-telemetry.ts";
export { createLog } from "./log.ts";
export { exposition, histogramValues, Metrics, metricOf, type Snapshot, single } from "./metrics.ts";
export { parseTraceparent } from "./trace-context.ts";
export { startTracing } from "./tracing.ts";
