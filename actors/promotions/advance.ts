import { limits, type Refusal, refuse } from "#base";
import type { Artifact, Blocking, CheckedArtifact } from "../kit/activation.ts";
import { evaluate } from "./guardrails.ts";
import { artifactKey, type Bound, type Candidate, type Check } from "./record.ts";
import { askLedTo, askTargets, prepared, type Round, stopping } from "./rounds.ts";
import type { Event, State } from "./state.ts";

export interface Policy {
  readonly approvalsRequired: number;
  readonly allowSelfApproval: boolean;
  readonly approvalTtlMs: number;
}

/** What an operation of a candidate goes by. */
export interface Turn {
  readonly state: State;
  readonly candidate: Candidate;
  readonly policy: Policy;
  readonly now: number;
}

/** All have answered: the next round of the operation, or its end. `round` has the answers. */
export function advance(turn: Turn, round: Round): readonly Event[] {
  switch (round.operation) {
    case "preflight":
      return [goOnPreflight(turn, round)];
    case "guardrails":
      return [endGuardrails(turn, round)];
    case "canary_start":
      return [goOnStart(turn, round)];
    case "canary_stop":
      return [round.step === "canary_put" ? next(turn, round, "figures") : endStop(turn, round)];
    case "look":
      return [endLook(turn, round)];
    case "approve":
      return [endApprove(turn, round)];
    case "promote":
      return [goOnPromote(turn, round)];
    case "rollback":
      return [goOnRollback(turn, round)];
    case "abort":
      return [];
  }
}

/** The next version of the record. */
export function moved(candidate: Candidate, changes: Partial<Candidate>, now: number): Candidate {
  const { reason: _, ...before } = candidate;
  return { ...before, ...changes, updatedAt: now, recordVersion: candidate.recordVersion + 1 };
}

/** The last check of the guardrails. */
export function lastCheck({ checks }: State): Check | undefined {
  return [...checks.values()].at(-1);
}

/** What an approval is of, as things are now. */
export function boundOf({ state, candidate }: Turn, pack_digest: string): Bound {
  return {
    candidate_digest: candidate.digest,
    pack_digest,
    check_digest: lastCheck(state)?.digest ?? "",
  };
}

function isSame(a: Bound, b: Bound): boolean {
  return (
    a.candidate_digest === b.candidate_digest &&
    a.pack_digest === b.pack_digest &&
    a.check_digest === b.check_digest
  );
}

export function unsatisfied(why: string): Refusal {
  return refuse("FAILED_PRECONDITION", `the evidence is not sufficient: ${why}`, {
    reason: "EVIDENCE_UNSATISFIED",
  });
}

type Ended = Extract<Event, { type: "ended" }>;

/** The operation ends here. Without `changes` the record stays as it is; `refusal`: for its caller. */
function ended(
  { candidate, now }: Turn,
  round: Round,
  changes: Partial<Candidate> | undefined,
  { refusal, ...more }: Partial<Pick<Ended, "check" | "preflight" | "tell"> & Pick<Round, "refusal">> = {},
): Ended {
  return {
    type: "ended",
    candidate: changes ? moved(candidate, changes, now) : candidate,
    round: { ...round, open: false, waiting: [], answers: [], ...(refusal && { refusal }) },
    ...more,
  };
}

function next({ candidate }: Turn, round: Round, step: Parameters<typeof askTargets>[2]): Event {
  return { type: "asked", candidate, round: askTargets(candidate, round, step) };
}

/** The first target that said no. */
function refusedBy({ answers }: Round): Blocking | undefined {
  return answers.find(({ answer }) => answer?.no)?.answer?.no;
}

function refusalOf({ reason, detail }: Blocking): Refusal {
  const gone = reason === "TARGET_DELETED" || reason === "ARTIFACT_GONE";
  return refuse(gone ? "FAILED_PRECONDITION" : "STATE_CONFLICT", detail, { reason });
}

/** The targets first; then what their content leads to, where it leads anywhere. */
function goOnPreflight(turn: Turn, round: Round): Event {
  const { checked } = round.given;
  if (checked) return endPreflight(turn, round, withLedTo(checked, round));
  const artifacts = round.answers.flatMap(({ answer }) => answer?.checked ?? []);
  const ids = [...new Set(artifacts.flatMap(({ leadsTo = [] }) => leadsTo))];
  if (ids.length === 0) return endPreflight(turn, round, artifacts);
  return { type: "asked", candidate: turn.candidate, round: askLedTo(round, artifacts, ids) };
}

/** What led to a pool that is gone or inactive cannot be promoted. */
function withLedTo(checked: readonly CheckedArtifact[], { answers }: Round): readonly CheckedArtifact[] {
  const against = new Map(answers.map(({ from, answer }) => [from, answer?.no]));
  return checked.map(({ leadsTo = [], ...artifact }) => {
    const found = leadsTo.flatMap((id): Blocking[] => {
      const no = against.get(id);
      if (!no) return [];
      return [no.reason === "TARGET_DELETED" ? { ...no, reason: "RULE_TARGET_MISSING" } : no];
    });
    return { ...artifact, blocking: [...artifact.blocking, ...found].slice(0, limits.fieldErrorsMax) };
  });
}

function endPreflight(turn: Turn, round: Round, artifacts: readonly CheckedArtifact[]): Event {
  const blocked = artifacts.some(({ blocking }) => blocking.length > 0);
  const bases: Record<string, string> = {};
  for (const one of artifacts) if (one.base !== undefined) bases[artifactKey(one)] = one.base;
  const changes: Partial<Candidate> = { state: blocked ? "blocked" : "preflighted", bases };
  return ended(turn, round, changes, { preflight: { at: turn.now, artifacts } });
}

function checkOf({ state, candidate, now }: Turn, round: Round, trigger: Check["trigger"]): Check {
  const last = lastCheck(state);
  // A look takes the place of the look before: only the others are decisions of somebody.
  const replaces = trigger === "look" && last?.trigger === "look";
  const { gate, open } = gateOf(round);
  return evaluate(
    candidate.guardrails,
    {
      figures: new Map(
        round.answers.flatMap(({ from, answer }) => (answer?.figures ? [[from, answer.figures]] : [])),
      ),
      withCanary: candidate.canary !== undefined,
      ...(gate && {
        gate: {
          satisfied: gate.found && gate.satisfied,
          detail: open.length > 0 ? open.map(({ id, status }) => `${id}: ${status}`).join(", ") : "satisfied",
        },
      }),
    },
    { number: replaces ? last.number : (last?.number ?? 0) + 1, at: now, trigger },
  );
}

/** What the pack answered, where it was asked, and its requirements that are not satisfied. */
function gateOf({ answers }: Round) {
  const gate = answers.find((answer) => answer.gate)?.gate;
  return { gate, open: gate?.requirements.filter(({ status }) => status !== "satisfied") ?? [] };
}

function endGuardrails(turn: Turn, round: Round): Event {
  const check = checkOf(turn, round, "evaluate");
  const { state } = turn.candidate;
  const isBefore = state === "preflighted" || state === "guarded";
  const passed = check.verdict === "pass" ? "guarded" : "preflighted";
  return ended(turn, round, isBefore ? { state: passed } : {}, { check });
}

/** All targets have the share, or none has: where one refuses a first share the canary is cleared, where one refuses a raise it is taken back. */
function goOnStart(turn: Turn, round: Round): Event {
  const { share_bps: shareBps = 0, max_seconds = 0, against } = round.given;
  const { canary } = turn.candidate;
  if (against && canary) {
    const changes = { canary: { ...canary, refused: (canary.refused ?? 0) + 1 } };
    return ended(turn, round, changes, { refusal: refusalOf(against) });
  }
  const no = refusedBy(round);
  if (no && canary) {
    const given = { ...round.given, share_bps: canary.shareBps, against: no };
    return next(turn, { ...round, given }, "canary_put");
  }
  if (no) return ended(turn, round, undefined, { refusal: refusalOf(no), tell: ["canary_clear"] });
  const started = canary
    ? { ...canary, shareBps }
    : { shareBps, startedAt: turn.now, endsAt: turn.now + max_seconds * 1_000 };
  return ended(turn, round, { state: "canary", canary: started });
}

function endStop(turn: Turn, round: Round): Event {
  const check = checkOf(turn, round, "stop");
  const { reason } = round.given;
  const canary = { ...turn.candidate.canary!, stoppedAt: turn.now };
  return ended(turn, round, { state: "canary_stopped", canary, ...(reason && { reason }) }, { check });
}

/** A guardrail that has surely failed stops the canary. */
function endLook(turn: Turn, round: Round): Event {
  const check = checkOf(turn, round, "look");
  if (check.verdict !== "fail") return ended(turn, round, undefined, { check });
  const failed = check.results.filter(({ verdict, report_only }) => verdict === "fail" && !report_only);
  const reason = `guardrail ${failed.map(({ metric, scope }) => metric || scope).join(", ")} has failed`;
  const { candidate } = turn;
  return { type: "asked", candidate, round: stopping(candidate, { ...round, given: { reason } }) };
}

function endApprove(turn: Turn, round: Round): Event {
  const { gate, open } = gateOf(round);
  const { approval, evidence_required } = round.given;
  if (evidence_required && !(gate?.found && gate.satisfied)) {
    const why = open.map(({ id, status }) => `${id} is ${status}`).join(", ") || "the pack has none";
    return ended(turn, round, undefined, { refusal: unsatisfied(why) });
  }
  const { candidate, policy, now } = turn;
  const bound = boundOf(turn, gate?.digest ?? "");
  // What others approved before something changed is not what this one approves.
  const same = candidate.approvals.filter(
    (other) =>
      other.owner !== approval!.owner && isSame(other.bound, bound) && now < other.at + policy.approvalTtlMs,
  );
  const approvals = [...same, { ...approval!, bound }];
  const enough = approvals.length >= policy.approvalsRequired;
  return ended(turn, round, { state: enough ? "approved" : "canary_stopped", approvals });
}

function goOnPromote(turn: Turn, round: Round): Event {
  if (round.step === "none" || round.step === "gate") return beginPromote(turn, round);
  const no = refusedBy(round);
  if (no)
    return ended(
      turn,
      round,
      { state: "failed", reason: no.reason },
      { refusal: refusalOf(no), tell: ["canary_clear", "release"] },
    );
  if (round.step === "prepare") return next(turn, round, "activate");
  const handles: readonly Artifact[] = round.answers.flatMap(({ answer }) => answer?.replaced ?? []);
  return ended(turn, round, { state: "promoted", handles });
}

/** The approvals have to be of what there is now. */
function beginPromote(turn: Turn, round: Round): Event {
  const { candidate, policy, now } = turn;
  const { approvals } = candidate;
  const bound = boundOf(turn, gateOf(round).gate?.digest ?? "");
  if (approvals.some((approval) => !isSame(approval.bound, bound)))
    return voided(turn, round, "EVIDENCE_CHANGED", "the evidence has changed since the approval");
  if (approvals.some(({ at }) => now >= at + policy.approvalTtlMs))
    return voided(turn, round, "APPROVAL_EXPIRED", "the approval is too old");
  const promoting = moved(candidate, { state: "promoting" }, now);
  return { type: "asked", candidate: promoting, round: prepared(candidate, round, "activate") };
}

function voided(turn: Turn, round: Round, reason: string, detail: string): Event {
  const refusal = refuse("FAILED_PRECONDITION", `${detail}: approve again`, { reason });
  return ended(turn, round, { state: "canary_stopped", approvals: [], reason }, { refusal });
}

function goOnRollback(turn: Turn, round: Round): Event {
  const no = refusedBy(round);
  if (no)
    return ended(
      turn,
      round,
      { state: "promoted", reason: no.reason },
      { refusal: refusalOf(no), tell: ["release"] },
    );
  if (round.step === "prepare") return next(turn, round, "restore");
  const { reason } = round.given;
  return ended(turn, round, { state: "rolled_back", ...(reason && { reason }) });
}
