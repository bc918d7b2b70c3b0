import type { Refusal } from "#base";
import type { RowWriter } from "#runtime";
import {
  type ActivationAnswer,
  type ActivationMessage,
  type ActivationStep,
  type Artifact,
  type Asked,
  type Blocking,
  type CheckedArtifact,
  type Target,
  targetAddress,
  targetsOf,
} from "../kit/activation.ts";
import { type GateAnswer, type GateQuestion, packAddress, promotionAddress } from "../kit/evidence.ts";
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

/** What callers ask an operation with, as the contract has it. */
export interface Asking {
  readonly share_bps?: number;
  readonly max_seconds?: number;
  readonly reason?: string;
  readonly decision?: Approval["decision"];
  readonly accept_inconclusive?: boolean;
  readonly evidence_required?: boolean;
}

/** With what the earlier rounds of the operation found. */
export interface Given extends Asking {
  readonly approval?: Omit<Approval, "bound">;
  /** Of a preflight that asks what its artifacts lead to: what the targets said. */
  readonly checked?: readonly CheckedArtifact[];
  /** Of a raised share that a target refused, and that the others take back: why. */
  readonly against?: Blocking;
}

export interface RoundAnswer {
  readonly from: string;
  readonly answer?: ActivationAnswer;
  readonly gate?: GateAnswer;
}

/** The round that asks every target; for the figures of an operation the pack as well, for its gate. */
export function askTargets(candidate: Candidate, before: Round, step: ActivationStep): Round {
  const targets = targetsOf(candidate.artifacts).map(({ id }) => id);
  const { packId } = candidate;
  const withPack = step === "figures" && before.operation !== "look" && packId !== undefined;
  return askAll(before, step, withPack ? [...targets, packId] : targets);
}

/** What content leads to is asked whether it is there: its own check, without artifacts. */
export function askLedTo(before: Round, checked: readonly CheckedArtifact[], ids: readonly string[]): Round {
  return askAll({ ...before, given: { ...before.given, checked } }, "check", ids);
}

export function askPack(packId: string, before: Round): Round {
  return askAll(before, "gate", [packId]);
}

function askAll(before: Round, step: Round["step"], waiting: readonly string[]): Round {
  return { ...before, number: before.number + 1, step, waiting, answers: [], open: true };
}

/** One target is compared and changed in its own commit; several are prepared first, so that all change or none does. */
export function prepared(candidate: Candidate, round: Round, then: "activate" | "restore"): Round {
  const several = new Set(candidate.artifacts.map(({ id }) => id)).size > 1;
  return askTargets(candidate, round, several ? "prepare" : then);
}

/** Stop = a share of 0. */
export function stopping(candidate: Candidate, round: Round): Round {
  const stop: Round = { ...round, operation: "canary_stop", given: { ...round.given, share_bps: 0 } };
  return askTargets(candidate, stop, "canary_put");
}

/** A new operation that has asked no target yet. */
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
  const { waiting, step, given } = round;
  const { packId, tenant } = candidate;
  if (packId !== undefined && waiting.includes(packId))
    rows.send(packAddress(tenant, packId), gateQuestion(candidate, packId, round));
  if (step === "gate" || step === "none") return;
  const targets = given.checked
    ? waiting.map((id): Target => ({ id, artifacts: [] }))
    : targetsOf(candidate.artifacts);
  for (const target of targets) send(candidate, target, step, round, rows);
}

/** A step whose answer is not awaited. */
export function sendStep(candidate: Candidate, step: ActivationStep, rows: RowWriter): void {
  for (const target of targetsOf(candidate.artifacts)) send(candidate, target, step, undefined, rows);
}

function send(
  candidate: Candidate,
  target: Target,
  step: ActivationStep,
  round: Round | undefined,
  rows: RowWriter,
): void {
  const { id, tenant, environment, guardrails } = candidate;
  const message: ActivationMessage = {
    type: "activation",
    step,
    candidateId: id,
    environment,
    targetId: target.id,
    artifacts: target.artifacts.map((artifact) => askedOf(candidate, artifact, round)),
    ...(round && { reply: { to: promotionAddress(tenant, id), round: round.number } }),
    ...(step === "canary_put" && {
      share: { bps: round?.given.share_bps ?? 0, slowMs: slowMsOf(guardrails) },
    }),
  };
  rows.send(targetAddress(tenant, target, step), message);
}

/** A rollback compares with what was activated, everything else with what was in force at the preflight. */
function askedOf(candidate: Candidate, artifact: Artifact, round: Round | undefined): Asked {
  const key = artifactKey(artifact);
  if (round?.operation !== "rollback") return { ...artifact, base: candidate.bases[key] ?? "" };
  const handle = candidate.handles.find((one) => artifactKey(one) === key);
  return { ...artifact, base: artifact.digest, ...(handle && { replaced: handle.version }) };
}

function gateQuestion({ id, digest, state }: Candidate, packId: string, { number }: Round): GateQuestion {
  const before = state === "created" || state === "preflighted" || state === "guarded";
  return {
    type: "gate",
    ref: String(number),
    packId,
    candidateId: id,
    candidateDigest: digest,
    phase: before ? "canary" : "approval",
  };
}
