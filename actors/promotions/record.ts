import { toRfc3339 } from "#base";
import type { Artifact, CheckedArtifact } from "../kit/activation.ts";
import { messageOf } from "../kit/message.ts";
import type { Message, Owned } from "../kit/record.ts";
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

/** In the words of the contract, as are checks. */
export interface Guardrail {
  readonly scope: "target" | "canary" | "evidence";
  readonly metric: string;
  readonly max?: number;
  readonly max_increase?: number;
  /** Of the scope `canary`. */
  readonly min_samples?: number;
  readonly report_only: boolean;
  readonly slow_ms?: number;
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
  readonly candidate_digest: string;
  readonly pack_digest: string;
  readonly check_digest: string;
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
  readonly report_only: boolean;
  readonly target_id?: string;
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
  readonly preflight?: Preflight | undefined;
  readonly checks: readonly Check[];
  readonly operation?: {
    readonly name: string;
    readonly waitingFor: readonly string[];
    readonly since: number;
  };
}

export function candidateMessage(candidate: Candidate, { preflight, checks, operation }: Around): Message {
  const { tenant, environment, canary, approvals, handles, makers: _, bases: __, ...shown } = candidate;
  return {
    ...messageOf(shown),
    tenant_id: tenant,
    environment_id: environment,
    ...(preflight && { preflight: preflightMessage(preflight) }),
    ...(canary && { canary: messageOf(canary, ["refused"]) }),
    checks: checks.map((check) => ({ ...check, at: toRfc3339(check.at) })),
    approvals: approvals.map(({ bound, at, ...approval }) => ({ ...approval, ...bound, at: toRfc3339(at) })),
    rollback_handles: handles,
    ...(operation && { operation: { ...messageOf(operation), since: toRfc3339(operation.since) } }),
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
