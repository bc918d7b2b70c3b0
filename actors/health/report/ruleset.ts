/**
 * When an environment is unknown, degraded or unhealthy. This value never changes: its SHA-256 is in every report and in a test, and
 * other thresholds or signals are a ruleset v2 beside it.
 */
export const rulesetV1 = {
  version: "v1",
  /** Below so many ended runs their failures say nothing. */
  terminals_min: 5,
  /** Unknown where the signal is above. */
  unknown: [
    { code: "TELEMETRY_MISSING", signal: "silent_sources", above: 0 },
    { code: "TELEMETRY_STALE", signal: "telemetry_age_ms", above: 300_000 },
    { code: "CLOCK_SKEW", signal: "clock_skew_ms", above: 30_000 },
    { code: "DEPENDENCY_STALE", signal: "dependency_age_ms", above: 30_000 },
    { code: "DEPENDENCY_UNAVAILABLE", signal: "dependencies_unavailable", above: 0 },
  ],
  judged: [
    { code: "FAILURE_RATIO", signal: "failure_ratio_bps", degraded_at: 1_000, unhealthy_at: 2_500 },
    { code: "IDLE_RUNS", signal: "idle_runs", degraded_at: 1, unhealthy_at: 5 },
    { code: "READY_DEPTH", signal: "ready_depth", degraded_at: 100, unhealthy_at: 1_000 },
    { code: "OLDEST_READY", signal: "oldest_ready_seconds", degraded_at: 900, unhealthy_at: 3_600 },
    { code: "INCOMPATIBLE_ATTEMPTS", signal: "incompatible_attempts", degraded_at: 1, unhealthy_at: 10 },
    { code: "WORKFLOW_DLQ", signal: "workflow_dlq", degraded_at: 1, unhealthy_at: 100 },
  ],
} as const;

type Judged = (typeof rulesetV1.judged)[number];
type Unknown = (typeof rulesetV1.unknown)[number];

export type ReasonCode = Unknown["code"] | "UNCLASSIFIED" | `${Judged["code"]}_${"DEGRADED" | "UNHEALTHY"}`;

/** What a report is computed from, as integers. Absent: its source has not answered. */
export type Signals = {
  readonly [Name in Exclude<Unknown["signal"] | Judged["signal"], "failure_ratio_bps">]?: number;
} & {
  readonly pools?: number;
  readonly runs?: number;
  readonly terminals?: number;
  readonly failed?: number;
};
