import type { Refusal } from "#base";
import type { RowWriter } from "#runtime";
import {
  type ActivationAnswer,
  type ActivationMessage,
  type ActivationStep,
  type Asked,
  type Blocking,
  type CheckedArtifact,
  type Target,
  targetAddress,
  targetsOf,
} from "../kit/activation.ts";
import { type GateAnswer, type GateQuestion, packAddress, promotionAddress } from "../kit/evidence.ts";
import type { GatePhase } from "../kit/evidence-gate.ts";
import { slowMsOf } from "./guardrails.ts";
import { type Approval, artifactKey, type Candidate } from "./record.ts";

export type Operation =
  | "preflight"
  | "guardrails"
  | "canary_start"
  | "canary_stop"
  | "look"
  | "approve"
  | "promote"
  | "rollback"
  | "abort";

/**
 * A question to all targets, or to the evidence pack, that is answered by messages. An operation is one round or several; the
 * question is in the commit that begins it, so a crash only delays the answers.
 */
export interface Round {
  readonly operation: Operation;
  /** Of the operation: what its caller waits for. */
  readonly began: number;
  /** Of this round: what answers name. */
  readonly number: number;
  readonly step: ActivationStep | "gate" | "none";
  /** Ids of targets and of the pack that have not answered. */
  readonly waiting: readonly string[];
  readonly answers: readonly RoundAnswer[];
  readonly since: number;
  readonly given: Given;
  readonly open: boolean;
  /** What the caller of an operation that is over is told instead of the candidate. */
  readonly refusal?: Refusal;
}

/** What the operation was asked with, and what its earlier rounds found. */
export interface Given {
  readonly bps?: number;
  readonly maxSeconds?: number;
  readonly reason?: string;
  readonly approval?: Omit<Approval, "bound">;
  readonly evidenceRequired?: boolean;
  readonly gate?: GateAnswer;
  /** Of a preflight that asks what its artifacts lead to: what the targets said. */
  readonly checked?: readonly CheckedArtifact[];
  /** Of a raised share that a target refused, and that the others take back: why. */
  readonly against?: Blocking;
  /** Of a prepared rollback or promotion: what comes next. */
  readonly then?: "activate" | "restore";
}

export interface RoundAnswer {
  readonly from: string;
  readonly answer?: ActivationAnswer;
  readonly gate?: GateAnswer;
}

/** The round that asks every target. `withPack`: and the pack for its gate. */
export function askTargets(
  candidate: Candidate,
  before: Round,
  step: ActivationStep,
  { withPack = false }: { readonly withPack?: boolean } = {},
): Round {
  const targets = targetsOf(candidate.artifacts).map(({ id }) => id);
  const pack = withPack && candidate.packId !== undefined ? [candidate.packId] : [];
  return {
    ...before,
    number: before.number + 1,
    step,
    waiting: [...targets, ...pack],
    answers: [],
    open: true,
  };
}

/** What content leads to is asked whether it is there: its own check, without artifacts. */
export function askLedTo(before: Round, checked: readonly CheckedArtifact[], ids: readonly string[]): Round {
  return {
    ...before,
    number: before.number + 1,
    step: "check",
    waiting: ids,
    answers: [],
    given: { ...before.given, checked },
    open: true,
  };
}

export function askPack(candidate: Candidate, before: Round): Round {
  return {
    ...before,
    number: before.number + 1,
    step: "gate",
    waiting: [candidate.packId!],
    answers: [],
    open: true,
  };
}

/** One target is compared and changed in its own commit; several are prepared first, so that all change or none does. */
export function prepared(candidate: Candidate, round: Round, then: "activate" | "restore"): Round {
  const several = new Set(candidate.artifacts.map(({ id }) => id)).size > 1;
  if (!several) return askTargets(candidate, round, then);
  return askTargets(candidate, { ...round, given: { ...round.given, then } }, "prepare");
}

/** Stop = a share of 0. */
export function stopping(round: Round): Round {
  return { ...round, given: { ...round.given, bps: 0 } };
}

/** A new operation that has asked nobody yet. */
export function newRound(last: Round | undefined, operation: Operation, given: Given, now: number): Round {
  const number = (last?.number ?? 0) + 1;
  return {
    operation,
    began: number,
    number,
    step: "none",
    waiting: [],
    answers: [],
    since: now,
    given,
    open: false,
  };
}

export function sendRound(candidate: Candidate, round: Round, rows: RowWriter): void {
  const { packId } = candidate;
  if (round.given.checked) {
    for (const id of round.waiting)
      rows.send(
        targetAddress(candidate.tenant, { id, artifacts: [] }, "check"),
        messageOf(candidate, { id, artifacts: [] }, "check", round),
      );
    return;
  }
  for (const target of targetsOf(candidate.artifacts))
    if (round.step !== "gate" && round.step !== "none" && round.waiting.includes(target.id))
      rows.send(
        targetAddress(candidate.tenant, target, round.step),
        messageOf(candidate, target, round.step, round),
      );
  if (packId !== undefined && round.waiting.includes(packId))
    rows.send(packAddress(candidate.tenant, packId), questionOf(candidate, round));
}

/** A step that nobody waits for. */
export function sendStep(candidate: Candidate, step: ActivationStep, rows: RowWriter): void {
  for (const target of targetsOf(candidate.artifacts))
    rows.send(targetAddress(candidate.tenant, target, step), messageOf(candidate, target, step, undefined));
}

function messageOf(
  candidate: Candidate,
  { id, artifacts }: Target,
  step: ActivationStep,
  round: Round | undefined,
): ActivationMessage {
  const { bps } = round?.given ?? {};
  return {
    type: "activation",
    step,
    candidateId: candidate.id,
    environment: candidate.environment,
    targetId: id,
    artifacts: artifacts.map((artifact) => askedOf(candidate, artifact, round)),
    ...(round && { reply: { to: promotionAddress(candidate.tenant, candidate.id), round: round.number } }),
    ...(step === "canary_put" && { share: { bps: bps ?? 0, slowMs: slowMsOf(candidate.guardrails) } }),
  };
}

/** A rollback compares with what was activated, everything else with what was in force at the preflight. */
function askedOf(
  candidate: Candidate,
  artifact: Target["artifacts"][number],
  round: Round | undefined,
): Asked {
  const key = artifactKey(artifact);
  if (round?.operation !== "rollback") return { ...artifact, base: candidate.bases[key] ?? "" };
  const handle = candidate.handles.find((one) => artifactKey(one) === key);
  return { ...artifact, base: artifact.digest, ...(handle && { replaced: handle.version }) };
}

function questionOf({ id, digest, packId, state }: Candidate, { number }: Round): GateQuestion {
  const before = state === "created" || state === "preflighted" || state === "guarded";
  const phase: GatePhase = before ? "canary" : "approval";
  return {
    type: "gate",
    ref: String(number),
    packId: packId!,
    candidateId: id,
    candidateDigest: digest,
    phase,
  };
}
