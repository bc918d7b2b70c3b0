import { duration, link, oneOf, whole } from "../kinds.ts";
import { setting } from "../setting.ts";

/** Log and traces. */
export const telemetrySettings = {
  "log.level": setting(oneOf("debug", "info", "warn", "error", "silent"), {
    default: "info",
    dev: "warn",
    reason: "Least severe line that is written; JSON lines on standard error.",
  }),
  "telemetry.slow_request": setting(duration({ min: 0 }), {
    default: 1_000,
    reason: "Slower calls are logged, with their parts.",
  }),
  "telemetry.otlp_endpoint": setting(link("empty"), {
    default: "",
    reason:
      "OTLP over HTTP, e.g. http://127.0.0.1:4318/v1/traces; empty: no traces, and nothing of them is loaded.",
  }),
  "telemetry.sample_percent": setting(whole({ min: 0, max: 100 }), {
    default: 10,
    reason: "Share of calls traced that no caller has decided about.",
  }),
} as const;
