/** Logs, metrics and traces of one thread. Losing them loses nothing else. */
export { createCallTelemetry } from "./call-telemetry.ts";
export { exposition } from "./exposition.ts";
export { createLog } from "./log.ts";
export { Metrics, type Snapshot } from "./metrics.ts";
export { parseTraceparent } from "./trace-context.ts";
export { startTracing } from "./tracing.ts";
