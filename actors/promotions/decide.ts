import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ActivationAnswer } from "../kit/activation.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type { AttachPack, GateAnswer, PackChanged } from "../kit/evidence.ts";
import { advance, moved } from "./advance.ts";
import { boundOf, type Policy, unsatisfied } from "./approvals.ts";
import { type Approval, type Candidate, type CandidateCreation, candidateMessage, isOpen } from "./record.ts";
import {
  askPack,
  askTargets,
  type Given,
  newRound,
  prepared,
  type Round,
  type RoundAnswer,
  stopping,
} from "./rounds.ts";
import type { Event, State } from "./state.ts";
import { type Asked, refuseState } from "./table.ts";

export type Command =
  | CandidateCreation
  | EntityPurge
  | ActivationAnswer
  | GateAnswer
  | PackChanged
  | { readonly type: "timer"; readonly timer: string }
  | { readonly type: "get"; readonly id: string; readonly brief?: boolean }
  | {
      readonly type: "operate";
      readonly id: string;
      readonly operation: Asked;
      readonly given: Given & Approving;
    }
  | { readonly type: "attach"; readonly id: string; readonly attach: AttachPack }
  /** What a caller waits for: the end of the operation that it began. */
  | { readonly type: "outcome"; readonly began: number };

/** What an approve is asked with. */
export interface Approving {
  readonly decision?: "approve" | "reject";
  readonly acceptInconclusive?: boolean;
}

/** Every decision for a caller has its `answer`. */
export function decideWith(policy: Policy) {
  return (state: State, command: Command, context: Context): Decision<Event> => {
    const { candidate } = state;
    switch (command.type) {
      case "create":
        return { events: candidate ? [] : [{ type: "created", candidate: command.candidate }] };
      case "purge":
        return purge(state, command);
      case "activation_answer":
        return answered(state, { from: command.targetId, answer: command }, command.round, policy, context);
      case "gated":
        return answered(state, { from: command.packId, gate: command }, Number(command.ref), policy, context);
      case "pack_changed":
        return packChanged(state, command, context.now);
      case "timer":
        return due(state, command.timer, context);
      case "outcome":
        return awaited(state, command.began);
      case "get":
      case "attach":
      case "operate": {
        if (!candidate || candidate.id !== command.id)
          return refuse("NOT_FOUND", "there is no such candidate");
        const foreign = checkEnvironment(candidate.environment, context.caller);
        if (foreign) return foreign;
        if (command.type === "get") return { events: [], answer: messageOf(state, command.brief) };
        if (command.type === "attach") return attach(candidate, command.attach, context.now);
        return operate(state, candidate, command, policy, context);
      }
    }
  };
}

function messageOf(state: State, brief = false): unknown {
  const { candidate, preflight, round } = state;
  const checks = [...state.checks.values()];
  return candidateMessage(candidate!, {
    ...(preflight && !brief && { preflight }),
    checks: brief ? checks.slice(-1) : checks,
    ...(round?.open && {
      operation: { name: round.operation, waitingFor: round.waiting, since: round.since },
    }),
  });
}

function operate(
  state: State,
  candidate: Candidate,
  { operation, given }: Extract<Command, { type: "operate" }>,
  policy: Policy,
  context: Context,
): Decision<Event> {
  const { round } = state;
  const promoting = candidate.state === "promoting" || candidate.state === "rolling_back";
  // A look by timer gives way, and an abort ends whatever has not begun to promote.
  const busy = round?.open && round.operation !== "look" && (operation !== "abort" || promoting);
  if (busy)
    return refuse("STATE_CONFLICT", `${round.operation} is under way: wait for ${round.waiting.join(", ")}`, {
      reason: "OPERATION_OPEN",
      extra: { operation: round.operation, waiting_for: round.waiting },
    });
  const conflict = refuseState(operation, candidate.state);
  if (conflict) return conflict;
  const next = newRound(round, operation, givenOf(given), context.now);
  switch (operation) {
    case "preflight":
      return ask(candidate, askTargets(candidate, next, "check"), context);
    case "guardrails":
      return ask(candidate, askTargets(candidate, next, "figures", { withPack: true }), context);
    case "canary_start":
      return startCanary(candidate, next, context);
    case "canary_stop":
      return ask(candidate, askTargets(candidate, stopping(next), "canary_put"), context);
    case "approve":
      return approve(state, candidate, next, given, policy, context);
    case "promote":
      return promote(state, candidate, next, policy, context);
    case "rollback":
      return ask(
        moved(candidate, { state: "rolling_back" }, context.now),
        prepared(candidate, next, "restore"),
        context,
      );
    case "abort":
      return over(state, candidate, next, { state: "aborted", reason: given.reason }, context);
  }
}

function givenOf({ decision: _, acceptInconclusive: __, ...given }: Given & Approving): Given {
  return given;
}

/** The targets are asked, and the caller waits for the last answer, or as long as it likes to. */
function ask(candidate: Candidate, round: Round, context: Context): Decision<Event> {
  const events: Event[] = [{ type: "asked", candidate, round }];
  const command: Command = { type: "outcome", began: round.began };
  return { events, park: { untilMs: context.now + limits.promotionParkMs, command } };
}

function awaited(state: State, began: number): Decision<Event> {
  const { round } = state;
  if (round?.began === began && round.refusal) return round.refusal;
  return { events: [], answer: messageOf(state) };
}

/** Callers whose operation is over. */
export function wake(state: State, parked: readonly Command[]): readonly number[] {
  const { round } = state;
  const isOver = (command: Command) =>
    command.type === "outcome" && (round?.began !== command.began || !round.open);
  return parked.flatMap((command, index) => (isOver(command) ? [index] : []));
}

function startCanary(candidate: Candidate, round: Round, context: Context): Decision<Event> {
  const { bps = 500, maxSeconds = 3_600 } = round.given;
  const before = candidate.canary?.shareBps ?? 0;
  if (bps <= before && candidate.state === "canary") {
    const reason = `only rises: it is ${before}`;
    return refuse("INVALID_ARGUMENT", `share_bps ${reason}`, { fields: [{ field: "share_bps", reason }] });
  }
  if ((candidate.canary?.refused ?? 0) >= limits.promotionRaisesRefusedMax)
    return refuse("FAILED_PRECONDITION", "targets have refused too many larger shares: stop the canary", {
      reason: "RAISES_REFUSED",
    });
  const given = { ...round.given, bps, maxSeconds };
  return ask(candidate, askTargets(candidate, { ...round, given }, "canary_put"), context);
}

function approve(
  state: State,
  candidate: Candidate,
  round: Round,
  { decision, acceptInconclusive, reason = "", evidenceRequired }: Given & Approving,
  policy: Policy,
  context: Context,
): Decision<Event> {
  const { subject = "", owner = "" } = context.caller ?? {};
  const approval = { subject, owner, decision: decision!, reason, at: context.now };
  const asked = { ...round, given: { approval, ...(evidenceRequired && { evidenceRequired }) } };
  if (decision === "reject") {
    const rejecting = { ...approval, bound: boundOf(state, candidate, "") };
    const changes = { state: "rejected" as const, reason, approvals: [...candidate.approvals, rejecting] };
    return over(state, candidate, asked, changes, context);
  }
  if (!policy.allowSelfApproval && candidate.makers.includes(owner))
    return refuse("PERMISSION_DENIED", "whoever made the candidate or a version in it cannot approve it", {
      reason: "SELF_APPROVAL",
    });
  const against = againstApproval(state, acceptInconclusive ?? false);
  if (against) return against;
  if (candidate.packId !== undefined) return ask(candidate, askPack(candidate, asked), context);
  if (evidenceRequired) return unsatisfied("no evidence pack is attached");
  return finished(state, asked, policy, context);
}

function againstApproval(state: State, acceptInconclusive: boolean): Refusal | undefined {
  const check = [...state.checks.values()].at(-1);
  if (check?.verdict === "fail")
    return refuse("FAILED_PRECONDITION", `check ${check.number} of the guardrails has failed`, {
      reason: "GUARDRAIL_FAILED",
    });
  if (check?.verdict === "inconclusive" && !acceptInconclusive)
    return refuse(
      "FAILED_PRECONDITION",
      `check ${check.number} of the guardrails is inconclusive: evaluate again, or accept_inconclusive`,
      { reason: "GUARDRAIL_INCONCLUSIVE" },
    );
  return undefined;
}

function promote(
  state: State,
  candidate: Candidate,
  round: Round,
  policy: Policy,
  context: Context,
): Decision<Event> {
  if (candidate.packId !== undefined) return ask(candidate, askPack(candidate, round), context);
  return finished(state, round, policy, context);
}

/** A round without a question, or whose last answer has come: what follows is in this commit. */
function finished(state: State, round: Round, policy: Policy, context: Context): Decision<Event> {
  const events = advance(state, round, policy, context);
  const command: Command = { type: "outcome", began: round.began };
  return { events, park: { untilMs: context.now + limits.promotionParkMs, command } };
}

interface Changes {
  readonly state: Candidate["state"];
  readonly reason?: string | undefined;
  readonly approvals?: readonly Approval[];
}

/** The candidate ends here: its targets forget it. */
function over(
  state: State,
  candidate: Candidate,
  round: Round,
  { state: next, reason, approvals }: Changes,
  context: Context,
): Decision<Event> {
  const ended = moved(
    candidate,
    { state: next, ...(reason ? { reason } : {}), ...(approvals && { approvals }) },
    context.now,
  );
  const event: Event = { type: "ended", candidate: ended, round, tell: ["canary_clear", "release"] };
  const around = {
    checks: [...state.checks.values()],
    ...(state.preflight && { preflight: state.preflight }),
  };
  return { events: [event], answer: candidateMessage(ended, around) };
}

/** An answer of an older round, or a second one, changes nothing. */
function answered(
  state: State,
  answer: RoundAnswer,
  number: number,
  policy: Policy,
  context: Context,
): Decision<Event> {
  const { round } = state;
  if (!round?.open || round.number !== number || !round.waiting.includes(answer.from)) return { events: [] };
  if (round.waiting.length > 1) return { events: [{ type: "told", answer }] };
  const all: Round = { ...round, waiting: [], answers: [...round.answers, answer] };
  return { events: advance(state, all, policy, context) };
}

/** Looks and the end of a canary; an operation of a caller goes first. */
function due(state: State, timer: string, context: Context): Decision<Event> {
  const { candidate, round } = state;
  if (candidate?.state !== "canary") return { events: [] };
  if (round?.open && (timer === "look" || round.operation !== "look"))
    return { events: [{ type: "timer_set", timer, dueMs: context.now + limits.promotionAgainMs }] };
  if (timer === "look") {
    const look = newRound(round, "look", {}, context.now);
    return { events: [{ type: "asked", candidate, round: askTargets(candidate, look, "figures") }] };
  }
  const stop = stopping(newRound(round, "canary_stop", { reason: "max_seconds are over" }, context.now));
  return { events: [{ type: "asked", candidate, round: askTargets(candidate, stop, "canary_put") }] };
}

function attach(candidate: Candidate, { pack_id, environment }: AttachPack, now: number): Decision<Event> {
  const answer = { candidate_id: candidate.id, candidate_digest: candidate.digest };
  if (environment !== candidate.environment)
    return refuse(
      "FAILED_PRECONDITION",
      `the candidate is in ${candidate.environment}, the pack in ${environment}`,
      {
        reason: "WRONG_ENVIRONMENT",
      },
    );
  if (candidate.packId === pack_id) return { events: [], answer };
  if (candidate.packId !== undefined)
    return refuse("STATE_CONFLICT", `the candidate has the pack ${candidate.packId} already`, {
      reason: "PACK_ATTACHED",
    });
  if (!isOpen(candidate.state) || candidate.state === "promoting")
    return refuse("STATE_CONFLICT", `a candidate that is ${candidate.state} takes no pack`);
  return {
    events: [{ type: "pack_attached", candidate: voided(candidate, { packId: pack_id }, now) }],
    answer,
  };
}

/** New evidence: what was approved is not what there is now. */
function packChanged(
  { candidate, round }: State,
  { packId, digest }: PackChanged,
  now: number,
): Decision<Event> {
  if (candidate?.packId !== packId || round?.open) return { events: [] };
  const isStale = candidate.approvals.some(
    ({ decision, bound }) => decision === "approve" && bound.pack !== digest,
  );
  if (!isStale || (candidate.state !== "approved" && candidate.state !== "canary_stopped"))
    return { events: [] };
  return { events: [{ type: "pack_attached", candidate: voided(candidate, {}, now) }] };
}

function voided(candidate: Candidate, changes: Partial<Candidate>, now: number): Candidate {
  if (candidate.approvals.length === 0) return moved(candidate, changes, now);
  const state = candidate.state === "approved" ? "canary_stopped" : candidate.state;
  return moved(candidate, { ...changes, state, approvals: [], reason: "EVIDENCE_CHANGED" }, now);
}

/** Whatever its state. One that is gone already says so again: its directory asks until it hears it. */
function purge({ candidate }: State, { id, tenant }: EntityPurge): Decision<Event> {
  const event: Event = candidate?.id === id ? { type: "deleted" } : { type: "purged", id, tenant };
  return { events: [event], frees: true };
}
