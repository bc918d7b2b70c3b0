import { invalid, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ActivationAnswer } from "../kit/activation.ts";
import type { EntityPurge } from "../kit/directory.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type { AttachPack, GateAnswer, PackChanged } from "../kit/evidence.ts";
import { advance, boundOf, lastCheck, moved, type Policy, type Turn, unsatisfied } from "./advance.ts";
import { type Candidate, type CandidateCreation, candidateMessage, isOpen } from "./record.ts";
import {
  type Asking,
  askPack,
  askTargets,
  newRound,
  prepared,
  type Round,
  type RoundAnswer,
  stopping,
} from "./rounds.ts";
import type { Event, State } from "./state.ts";
import { type Asked, refuseState } from "./table.ts";

/** From other entities. */
export type Incoming = CandidateCreation | EntityPurge | ActivationAnswer | GateAnswer | PackChanged;

export type Command =
  | Incoming
  | { readonly type: "timer"; readonly timer: string }
  | { readonly type: "get"; readonly id: string; readonly brief?: boolean }
  | {
      readonly type: "operate";
      readonly id: string;
      readonly operation: Asked;
      readonly given: Asking;
    }
  | { readonly type: "attach"; readonly id: string; readonly attach: AttachPack }
  /** What a caller waits for: the end of the operation that it began. */
  | { readonly type: "outcome"; readonly began: number };

/** Every decision for a caller has its `answer`. */
export function decideWith(policy: Policy) {
  return (state: State, command: Command, context: Context): Decision<Event> => {
    const { candidate } = state;
    switch (command.type) {
      case "create":
        return { events: candidate ? [] : [{ type: "created", candidate: command.candidate }] };
      case "purge":
        return { events: [{ type: "deleted", id: command.id, tenant: command.tenant }], frees: true };
      case "outcome":
        return awaited(state, command.began);
      case "get":
      case "attach":
      case "operate":
        if (candidate?.id !== command.id) return refuse("NOT_FOUND", "there is no such candidate");
    }
    if (!candidate) return { events: [] };
    const turn: Turn = { state, candidate, policy, now: context.now };
    switch (command.type) {
      case "activation_answer":
        return answered(turn, { from: command.targetId, answer: command }, command.round);
      case "gated":
        return answered(turn, { from: command.packId, gate: command }, Number(command.ref));
      case "pack_changed":
        return packChanged(turn, command);
      case "timer":
        return due(turn, command.timer);
    }
    const foreign = checkEnvironment(candidate.environment, context.caller);
    if (foreign) return foreign;
    switch (command.type) {
      case "get":
        return { events: [], answer: messageOf(state, command.brief) };
      case "attach":
        return attach(candidate, command.attach, context.now);
      case "operate":
        return operate(turn, command.operation, command.given, context);
    }
  };
}

function messageOf(state: State, brief = false): unknown {
  const { candidate, preflight, round } = state;
  const checks = [...state.checks.values()];
  return candidateMessage(candidate!, {
    ...(!brief && { preflight }),
    checks: brief ? checks.slice(-1) : checks,
    ...(round?.open && {
      operation: { name: round.operation, waitingFor: round.waiting, since: round.since },
    }),
  });
}

function operate(turn: Turn, operation: Asked, given: Asking, context: Context): Decision<Event> {
  const { candidate, now } = turn;
  const { round } = turn.state;
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
  const next = newRound(round, operation, given, now);
  switch (operation) {
    case "preflight":
      return ask(turn, askTargets(candidate, next, "check"));
    case "guardrails":
      return ask(turn, askTargets(candidate, next, "figures"));
    case "canary_start":
      return startCanary(turn, next);
    case "canary_stop":
      return ask(turn, stopping(candidate, next));
    case "approve":
      return approve(turn, next, given, context);
    case "promote":
      return askPackOrGoOn(turn, next);
    case "rollback": {
      const rolling = moved(candidate, { state: "rolling_back" }, now);
      return ask({ ...turn, candidate: rolling }, prepared(candidate, next, "restore"));
    }
    case "abort":
      return over(turn, next, { state: "aborted", ...(given.reason && { reason: given.reason }) });
  }
}

/** The targets are asked. */
function ask({ candidate, now }: Turn, round: Round): Decision<Event> {
  return begun([{ type: "asked", candidate, round }], round, now);
}

/** The caller waits for the last answer, or as long as it likes to. */
function begun(events: readonly Event[], { began }: Round, now: number): Decision<Event> {
  const command: Command = { type: "outcome", began };
  return { events, park: { untilMs: now + limits.promotionParkMs, command } };
}

/** A round without a question goes on in this commit. */
function askPackOrGoOn(turn: Turn, round: Round): Decision<Event> {
  const { packId } = turn.candidate;
  if (packId !== undefined) return ask(turn, askPack(packId, round));
  return begun(advance(turn, round), round, turn.now);
}

function awaited(state: State, began: number): Decision<Event> {
  const { round } = state;
  if (round?.began === began && round.refusal) return round.refusal;
  return { events: [], answer: messageOf(state) };
}

/** Callers whose operation is over. */
export function wake({ round }: State, parked: readonly Command[]): readonly number[] {
  const isOver = (command: Command) =>
    command.type === "outcome" && (round?.began !== command.began || !round.open);
  return parked.flatMap((command, index) => (isOver(command) ? [index] : []));
}

function startCanary(turn: Turn, round: Round): Decision<Event> {
  const { share_bps = 500, max_seconds = 3_600 } = round.given;
  const { state, canary } = turn.candidate;
  const before = canary?.shareBps ?? 0;
  if (share_bps <= before && state === "canary")
    return invalid({ field: "share_bps", reason: `only rises: it is ${before}` });
  if ((canary?.refused ?? 0) >= limits.promotionRaisesRefusedMax)
    return refuse("FAILED_PRECONDITION", "targets have refused too many larger shares: stop the canary", {
      reason: "RAISES_REFUSED",
    });
  const given = { ...round.given, share_bps, max_seconds };
  return ask(turn, askTargets(turn.candidate, { ...round, given }, "canary_put"));
}

function approve(
  turn: Turn,
  round: Round,
  { decision, accept_inconclusive = false, reason = "", evidence_required }: Asking,
  context: Context,
): Decision<Event> {
  const { state, candidate, policy, now } = turn;
  const { subject = "", owner = "" } = context.caller ?? {};
  const approval = { subject, owner, decision: decision!, reason, at: now };
  const asked = { ...round, given: { approval, ...(evidence_required && { evidence_required }) } };
  if (decision === "reject") {
    const approvals = [...candidate.approvals, { ...approval, bound: boundOf(turn, "") }];
    return over(turn, asked, { state: "rejected", ...(reason && { reason }), approvals });
  }
  if (!policy.allowSelfApproval && candidate.makers.includes(owner))
    return refuse("PERMISSION_DENIED", "the maker of the candidate or of a version in it cannot approve it", {
      reason: "SELF_APPROVAL",
    });
  const against = againstApproval(state, accept_inconclusive);
  if (against) return against;
  if (candidate.packId === undefined && evidence_required) return unsatisfied("no evidence pack is attached");
  return askPackOrGoOn(turn, asked);
}

function againstApproval(state: State, acceptInconclusive: boolean): Refusal | undefined {
  const check = lastCheck(state);
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

/** The candidate ends here: its targets forget it. */
function over({ state, candidate, now }: Turn, round: Round, changes: Partial<Candidate>): Decision<Event> {
  const ended = moved(candidate, changes, now);
  const { preflight, checks } = state;
  return {
    events: [{ type: "ended", candidate: ended, round, tell: ["canary_clear", "release"] }],
    answer: candidateMessage(ended, { preflight, checks: [...checks.values()] }),
  };
}

/** An answer of an older round, or a second one, changes nothing. */
function answered(turn: Turn, answer: RoundAnswer, number: number): Decision<Event> {
  const { round } = turn.state;
  if (!round?.open || round.number !== number || !round.waiting.includes(answer.from)) return { events: [] };
  if (round.waiting.length > 1) return { events: [{ type: "told", answer }] };
  const all: Round = { ...round, waiting: [], answers: [...round.answers, answer] };
  return { events: advance(turn, all) };
}

/** Looks and the end of a canary; an operation of a caller goes first. */
function due({ state, candidate, now }: Turn, timer: string): Decision<Event> {
  const { round } = state;
  if (candidate.state !== "canary") return { events: [] };
  if (round?.open && (timer === "look" || round.operation !== "look"))
    return { events: [{ type: "timer_set", timer, dueMs: now + limits.promotionAgainMs }] };
  const asked =
    timer === "look"
      ? askTargets(candidate, newRound(round, "look", {}, now), "figures")
      : stopping(candidate, newRound(round, "canary_stop", { reason: "max_seconds are over" }, now));
  return { events: [{ type: "asked", candidate, round: asked }] };
}

function attach(candidate: Candidate, { pack_id, environment }: AttachPack, now: number): Decision<Event> {
  const answer = { candidate_id: candidate.id, candidate_digest: candidate.digest };
  if (environment !== candidate.environment) {
    const why = `the candidate is in ${candidate.environment}, the pack in ${environment}`;
    return refuse("FAILED_PRECONDITION", why, { reason: "WRONG_ENVIRONMENT" });
  }
  if (candidate.packId === pack_id) return { events: [], answer };
  if (candidate.packId !== undefined)
    return refuse("STATE_CONFLICT", `the candidate has the pack ${candidate.packId} already`, {
      reason: "PACK_ATTACHED",
    });
  if (!isOpen(candidate.state) || candidate.state === "promoting")
    return refuse("STATE_CONFLICT", `a candidate that is ${candidate.state} takes no pack`);
  const attached = voided(candidate, { packId: pack_id }, now);
  return { events: [{ type: "pack_attached", candidate: attached }], answer };
}

/** New evidence: what was approved is not what there is now. */
function packChanged({ state, candidate, now }: Turn, { packId, digest }: PackChanged): Decision<Event> {
  if (candidate.packId !== packId || state.round?.open) return { events: [] };
  const isStale = candidate.approvals.some(
    ({ decision, bound }) => decision === "approve" && bound.pack_digest !== digest,
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
