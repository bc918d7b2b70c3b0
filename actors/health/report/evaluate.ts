import { type ReasonCode, rulesetV1, type Signals } from "./ruleset.ts";
import { runbooks } from "./runbooks.ts";

export type Verdict = "healthy" | "degraded" | "unhealthy" | "unknown";

interface Reason {
  readonly code: ReasonCode;
  readonly signal: string;
  readonly level: Exclude<Verdict, "healthy">;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly confidence: "none" | "medium" | "high";
  readonly reasons: readonly Reason[];
  readonly evidence: readonly {
    readonly signal: string;
    readonly value: number;
    readonly degraded_at: number;
    readonly unhealthy_at: number;
  }[];
  readonly next_steps: readonly {
    readonly code: ReasonCode;
    readonly title: string;
    readonly runbook: string;
  }[];
}

/** The verdict of ruleset v1. Whatever is missing, old, ahead of time or not understood makes it unknown, never better. */
export function evaluate(signals: Signals): Judgement {
  const unknown = unknownOf(signals);
  const evidence = evidenceOf(signals);
  const reasons = unknown.length > 0 ? unknown : judgedOf(evidence);
  const levels = new Set(reasons.map(({ level }) => level));
  const verdict =
    (["unknown", "unhealthy", "degraded"] as const).find((level) => levels.has(level)) ?? "healthy";
  return {
    verdict,
    confidence: confidenceOf(verdict, signals),
    reasons,
    next_steps: reasons.map(({ code }) => ({
      code,
      title: runbooks[code].title,
      runbook: `/docs/runbooks/${code}`,
    })),
    evidence,
  };
}

/** All that a verdict needs: from directories, meters and runs, and from the node. */
const needed = {
  TELEMETRY_MISSING: [
    ...[
      "silent_sources",
      "telemetry_age_ms",
      "clock_skew_ms",
      "pools",
      "ready_depth",
      "oldest_ready_seconds",
    ],
    ...["runs", "terminals", "failed", "idle_runs", "incompatible_attempts", "workflow_dlq"],
  ],
  DEPENDENCY_STALE: ["dependency_age_ms", "dependencies_unavailable"],
} as const;

function unknownOf(signals: Signals): Reason[] {
  const found = new Map<ReasonCode, Reason>();
  const add = (code: ReasonCode, signal: string) => {
    if (!found.has(code)) found.set(code, { code, signal, level: "unknown" });
  };
  const values = signals as Readonly<Record<string, number | undefined>>;
  for (const [code, names] of Object.entries(needed))
    for (const name of names) if (values[name] === undefined) add(code as ReasonCode, name);
  if (signals.pools === 0 && signals.runs === 0) add("TELEMETRY_MISSING", "pools");
  for (const { code, signal, above } of rulesetV1.unknown) if (values[signal]! > above) add(code, signal);
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) add("UNCLASSIFIED", name);
  if (signals.failed! > signals.terminals!) add("UNCLASSIFIED", "failed");
  return [...found.values()];
}

/** A ratio of few runs is no evidence. */
function evidenceOf(signals: Signals): Judgement["evidence"] {
  const { terminals, failed } = signals;
  const isJudged = failed !== undefined && terminals! >= rulesetV1.terminals_min;
  const failure_ratio_bps = isJudged ? Math.floor((failed * 10_000) / terminals!) : undefined;
  const values = { ...signals, failure_ratio_bps };
  return rulesetV1.judged.flatMap(({ signal, degraded_at, unhealthy_at }) => {
    const value = values[signal];
    return Number.isSafeInteger(value) ? [{ signal, value: value!, degraded_at, unhealthy_at }] : [];
  });
}

function judgedOf(evidence: Judgement["evidence"]): Reason[] {
  return evidence.flatMap(({ signal, value, degraded_at, unhealthy_at }): Reason[] => {
    if (value < degraded_at) return [];
    const { code } = rulesetV1.judged.find((rule) => rule.signal === signal)!;
    if (value < unhealthy_at) return [{ code: `${code}_DEGRADED`, signal, level: "degraded" }];
    return [{ code: `${code}_UNHEALTHY`, signal, level: "unhealthy" }];
  });
}

function confidenceOf(verdict: Verdict, { terminals = 0 }: Signals): Judgement["confidence"] {
  if (verdict === "unknown") return "none";
  return terminals < rulesetV1.terminals_min ? "medium" : "high";
}
