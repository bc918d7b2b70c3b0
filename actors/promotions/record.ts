import { toRfc3339 } from "#base";
import type { Artifact, CheckedArtifact } from "../kit/activation.ts";
import { type Message, type Owned, stampsOf } from "../kit/record.ts";
import type { Sample } from "./intervals.ts";

export const states = [
  "created",
  "preflighted",
  "blocked",
  "guarded",
  "canary",
  "canary_stopped",
  "approved",
  "rejected",
  "promoting",
  "promoted",
  "failed",
  "rolling_back",
  "rolled_back",
  "aborted",
] as const;
export type CandidateState = (typeof states)[number];

export type Verdict = "pass" | "fail" | "inconclusive";

export interface Guardrail {
  readonly scope: "target" | "canary" | "evidence";
  readonly metric: string;
  readonly max?: number;
  readonly maxIncrease?: number;
  readonly minSamples: number;
  readonly reportOnly: boolean;
  readonly slowMs?: number;
}

export interface Candidate extends Owned {
  readonly name: string;
  readonly artifacts: readonly Artifact[];
  readonly digest: string;
  readonly guardrails: readonly Guardrail[];
  readonly packId?: string;
  readonly state: CandidateState;
  readonly reason?: string;
  readonly createdBy: string;
  /** Owners who cannot approve: of the candidate, and of the versions in it. */
  readonly makers: readonly string[];
  /** By `artifactKey`: the digest that was in force at the last preflight. */
  readonly bases: Readonly<Record<string, string>>;
  readonly canary?: CanaryRecord;
  readonly approvals: readonly Approval[];
  /** What a rollback restores. */
  readonly handles: readonly Artifact[];
}

interface CanaryRecord {
  readonly shareBps: number;
  readonly startedAt: number;
  readonly endsAt: number;
  readonly stoppedAt?: number;
  /** Larger shares that a target refused. */
  readonly refused?: number;
}

export interface Approval {
  readonly subject: string;
  readonly owner: string;
  readonly decision: "approve" | "reject";
  readonly reason: string;
  readonly at: number;
  readonly bound: Bound;
}

/** What an approval is of: another digest, and it is void. */
export interface Bound {
  readonly candidate: string;
  readonly pack: string;
  readonly check: string;
}

export interface Preflight {
  readonly at: number;
  readonly artifacts: readonly CheckedArtifact[];
}

export interface Check {
  readonly number: number;
  readonly at: number;
  readonly trigger: "evaluate" | "look" | "stop";
  readonly verdict: Verdict;
  readonly results: readonly Result[];
  readonly digest: string;
}

export interface Result {
  readonly scope: Guardrail["scope"];
  readonly metric: string;
  readonly verdict: Verdict;
  readonly reportOnly: boolean;
  readonly targetId?: string;
  readonly value?: number;
  readonly low?: number;
  readonly high?: number;
  readonly canary?: Sample;
  readonly stable?: Sample;
  readonly detail: string;
}

/** From the directory to the candidate that it makes. */
export interface CandidateCreation {
  readonly type: "create";
  readonly candidate: Candidate;
}

export function artifactKey({ kind, id }: Pick<Artifact, "kind" | "id">): string {
  return `${kind}:${id}`;
}

/** It can still become something else than it is, other than by a rollback. */
export function isOpen(state: CandidateState): boolean {
  return !["promoted", "failed", "rejected", "rolled_back", "aborted"].includes(state);
}

/** What is shown besides the record. */
export interface Around {
  readonly preflight?: Preflight;
  readonly checks: readonly Check[];
  readonly operation?: {
    readonly name: string;
    readonly waitingFor: readonly string[];
    readonly since: number;
  };
}

export function candidateMessage(candidate: Candidate, { preflight, checks, operation }: Around): Message {
  const { packId, reason, canary } = candidate;
  return {
    id: candidate.id,
    tenant_id: candidate.tenant,
    environment_id: candidate.environment,
    name: candidate.name,
    artifacts: candidate.artifacts,
    digest: candidate.digest,
    guardrails: candidate.guardrails.map(guardrailMessage),
    ...(packId !== undefined && { pack_id: packId }),
    state: candidate.state,
    ...(reason !== undefined && { reason }),
    ...(preflight && { preflight: preflightMessage(preflight) }),
    ...(canary && { canary: canaryMessage(canary) }),
    checks: checks.map(checkMessage),
    approvals: candidate.approvals.map(approvalMessage),
    rollback_handles: candidate.handles,
    ...(operation && {
      operation: {
        name: operation.name,
        waiting_for: operation.waitingFor,
        since: toRfc3339(operation.since),
      },
    }),
    created_by: candidate.createdBy,
    ...stampsOf(candidate),
  };
}

function guardrailMessage({
  scope,
  metric,
  max,
  maxIncrease,
  minSamples,
  reportOnly,
  slowMs,
}: Guardrail): Message {
  return {
    scope,
    metric,
    ...(max !== undefined && { max }),
    ...(maxIncrease !== undefined && { max_increase: maxIncrease }),
    ...(scope === "canary" && { min_samples: minSamples }),
    report_only: reportOnly,
    ...(slowMs !== undefined && { slow_ms: slowMs }),
  };
}

function preflightMessage({ at, artifacts }: Preflight): Message {
  return {
    at: toRfc3339(at),
    artifacts: artifacts.map(({ kind, id, base, impacts, impactsLeftOut, blocking }) => ({
      kind,
      id,
      ...(base !== undefined && { base_digest: base }),
      impacts: impacts.map(({ path, change, exercisedBy }) => ({ path, change, exercised_by: exercisedBy })),
      ...(impactsLeftOut > 0 && { impacts_left_out: impactsLeftOut }),
      blocking_reasons: blocking,
    })),
  };
}

function canaryMessage({ shareBps, startedAt, endsAt, stoppedAt }: CanaryRecord): Message {
  return {
    share_bps: shareBps,
    started_at: toRfc3339(startedAt),
    ends_at: toRfc3339(endsAt),
    ...(stoppedAt !== undefined && { stopped_at: toRfc3339(stoppedAt) }),
  };
}

function checkMessage({ number, at, trigger, verdict, results, digest }: Check): Message {
  return {
    number,
    at: toRfc3339(at),
    trigger,
    verdict,
    results: results.map(({ reportOnly, targetId, ...result }) => ({
      ...result,
      report_only: reportOnly,
      ...(targetId !== undefined && { target_id: targetId }),
    })),
    digest,
  };
}

function approvalMessage({ subject, owner, decision, reason, at, bound }: Approval): Message {
  return {
    subject,
    owner,
    decision,
    reason,
    at: toRfc3339(at),
    candidate_digest: bound.candidate,
    pack_digest: bound.pack,
    check_digest: bound.check,
  };
}
