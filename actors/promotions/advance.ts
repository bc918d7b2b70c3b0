import { limits, type Refusal, refuse } from "#base";
import type { Context } from "#runtime";
import type { Artifact, Blocking, CheckedArtifact } from "../kit/activation.ts";
import { boundOf, isSame, type Policy, unsatisfied } from "./approvals.ts";
import { evaluate } from "./guardrails.ts";
import { type Approval, artifactKey, type Candidate, type Check } from "./record.ts";
import { askLedTo, askTargets, prepared, type Round, stopping } from "./rounds.ts";
import type { Event, State } from "./state.ts";

/** Everybody has answered: the next round of the operation, or its end. `round` has all answers. */
export function advance(state: State, round: Round, policy: Policy, context: Context): readonly Event[] {
  const candidate = state.candidate!;
  switch (round.operation) {
    case "preflight":
      return [goOnPreflight(candidate, round, context.now)];
    case "guardrails":
      return [endGuardrails(state, candidate, round, context.now)];
    case "canary_start":
      return [goOnStart(candidate, round, context.now)];
    case "canary_stop":
      return [
        round.step === "canary_put"
          ? next(candidate, round, "figures")
          : endStop(state, candidate, round, context.now),
      ];
    case "look":
      return [endLook(state, candidate, round, context.now)];
    case "approve":
      return [endApprove(state, candidate, round, policy, context.now)];
    case "promote":
      return [goOnPromote(state, candidate, round, policy, context.now)];
    case "rollback":
      return [goOnRollback(candidate, round, context.now)];
    case "abort":
      return [];
  }
}

/** The next version of the record. */
export function moved(candidate: Candidate, changes: Partial<Candidate>, now: number): Candidate {
  const { reason: _, ...before } = candidate;
  return { ...before, ...changes, updatedAt: now, recordVersion: candidate.recordVersion + 1 };
}

function closed(round: Round, refusal?: Refusal): Round {
  return { ...round, open: false, waiting: [], answers: [], ...(refusal && { refusal }) };
}

function next(candidate: Candidate, round: Round, step: Parameters<typeof askTargets>[2]): Event {
  const withPack = step === "figures";
  return { type: "asked", candidate, round: askTargets(candidate, round, step, { withPack }) };
}

/** The first target that said no. */
function refusedBy({ answers }: Round): Blocking | undefined {
  for (const { answer } of answers) if (answer?.no) return answer.no;
  return undefined;
}

function refusalOf({ reason, detail }: Blocking): Refusal {
  const gone = reason === "TARGET_DELETED" || reason === "ARTIFACT_GONE";
  return refuse(gone ? "FAILED_PRECONDITION" : "STATE_CONFLICT", detail, { reason });
}

/** The targets first; then what their content leads to, where it leads anywhere. */
function goOnPreflight(candidate: Candidate, round: Round, now: number): Event {
  const { checked } = round.given;
  if (checked) return endPreflight(candidate, round, withLedTo(checked, round), now);
  const artifacts = round.answers.flatMap(({ answer }) => answer?.checked ?? []);
  const ids = [...new Set(artifacts.flatMap(({ leadsTo = [] }) => leadsTo))];
  if (ids.length === 0) return endPreflight(candidate, round, artifacts, now);
  return { type: "asked", candidate, round: askLedTo(round, artifacts, ids) };
}

/** What led to a pool that is gone or inactive cannot be promoted. */
function withLedTo(checked: readonly CheckedArtifact[], { answers }: Round): readonly CheckedArtifact[] {
  const against = new Map(
    answers.flatMap(({ from, answer }) => (answer?.no ? [[from, answer.no] as const] : [])),
  );
  return checked.map(({ leadsTo = [], ...artifact }) => {
    const found = leadsTo.flatMap((id): Blocking[] => {
      const no = against.get(id);
      if (!no) return [];
      return [no.reason === "TARGET_DELETED" ? { ...no, reason: "RULE_TARGET_MISSING" } : no];
    });
    return { ...artifact, blocking: [...artifact.blocking, ...found].slice(0, limits.fieldErrorsMax) };
  });
}

function endPreflight(
  candidate: Candidate,
  round: Round,
  artifacts: readonly CheckedArtifact[],
  now: number,
): Event {
  const blocked = artifacts.some(({ blocking }) => blocking.length > 0);
  const bases = Object.fromEntries(
    artifacts.flatMap((one) => (one.base === undefined ? [] : [[artifactKey(one), one.base]])),
  );
  return {
    type: "ended",
    candidate: moved(candidate, { state: blocked ? "blocked" : "preflighted", bases }, now),
    round: closed(round),
    preflight: { at: now, artifacts },
  };
}

function checkOf(
  state: State,
  candidate: Candidate,
  round: Round,
  trigger: Check["trigger"],
  now: number,
): Check {
  const last = [...state.checks.values()].at(-1);
  // A look takes the place of the look before: only the others are decisions of somebody.
  const replaces = trigger === "look" && last?.trigger === "look";
  const figures = new Map(
    round.answers.flatMap(({ from, answer }) => (answer?.figures ? [[from, answer.figures] as const] : [])),
  );
  const gate = round.answers.find((answer) => answer.gate)?.gate;
  const open = gate?.requirements.filter(({ status }) => status !== "satisfied") ?? [];
  return evaluate(
    candidate.guardrails,
    {
      figures,
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

function endGuardrails(state: State, candidate: Candidate, round: Round, now: number): Event {
  const check = checkOf(state, candidate, round, "evaluate", now);
  const before = candidate.state === "preflighted" || candidate.state === "guarded";
  const passed = check.verdict === "pass" ? "guarded" : "preflighted";
  const changed = before ? moved(candidate, { state: passed }, now) : moved(candidate, {}, now);
  return { type: "ended", candidate: changed, round: closed(round), check };
}

/** All targets have the share, or none has: where one refuses a first share the canary is cleared, where one refuses a raise it is taken back. */
function goOnStart(candidate: Candidate, round: Round, now: number): Event {
  const { bps = 0, maxSeconds = 0, against } = round.given;
  const { canary } = candidate;
  if (against && canary) {
    const changed = moved(candidate, { canary: { ...canary, refused: (canary.refused ?? 0) + 1 } }, now);
    return { type: "ended", candidate: changed, round: closed(round, refusalOf(against)) };
  }
  const no = refusedBy(round);
  if (no && canary) {
    const given = { ...round.given, bps: canary.shareBps, against: no };
    return { type: "asked", candidate, round: askTargets(candidate, { ...round, given }, "canary_put") };
  }
  if (no) return { type: "ended", candidate, round: closed(round, refusalOf(no)), tell: ["canary_clear"] };
  const started = canary
    ? { ...canary, shareBps: bps }
    : { shareBps: bps, startedAt: now, endsAt: now + maxSeconds * 1_000 };
  const changed = moved(candidate, { state: "canary", canary: started }, now);
  return { type: "ended", candidate: changed, round: closed(round) };
}

function endStop(state: State, candidate: Candidate, round: Round, now: number): Event {
  const check = checkOf(state, candidate, round, "stop", now);
  const { reason } = round.given;
  const changed = moved(
    candidate,
    {
      state: "canary_stopped",
      canary: { ...candidate.canary!, stoppedAt: now },
      ...(reason !== undefined && { reason }),
    },
    now,
  );
  return { type: "ended", candidate: changed, round: closed(round), check };
}

/** A guardrail that has surely failed stops the canary. */
function endLook(state: State, candidate: Candidate, round: Round, now: number): Event {
  const check = checkOf(state, candidate, round, "look", now);
  if (check.verdict !== "fail") return { type: "ended", candidate, round: closed(round), check };
  const failed = check.results.filter(({ verdict, reportOnly }) => verdict === "fail" && !reportOnly);
  const reason = `guardrail ${failed.map(({ metric, scope }) => metric || scope).join(", ")} has failed`;
  const stop: Round = stopping({ ...round, operation: "canary_stop", given: { reason } });
  return { type: "asked", candidate, round: askTargets(candidate, stop, "canary_put") };
}

function endApprove(state: State, candidate: Candidate, round: Round, policy: Policy, now: number): Event {
  const gate = round.answers.find((answer) => answer.gate)?.gate;
  const { approval, evidenceRequired } = round.given;
  if (evidenceRequired && !(gate?.found && gate.satisfied)) {
    const open = gate?.requirements.filter(({ status }) => status !== "satisfied") ?? [];
    const why = open.map(({ id, status }) => `${id} is ${status}`).join(", ") || "the pack has none";
    return { type: "ended", candidate, round: closed(round, unsatisfied(why)) };
  }
  const bound = boundOf(state, candidate, gate?.digest ?? "");
  // What others approved before something changed is not what this one approves.
  const same = candidate.approvals.filter(
    (other) =>
      other.owner !== approval!.owner && isSame(other.bound, bound) && now < other.at + policy.approvalTtlMs,
  );
  const approvals: readonly Approval[] = [...same, { ...approval!, bound }];
  const enough = approvals.length >= policy.approvalsRequired;
  const changed = moved(candidate, { state: enough ? "approved" : "canary_stopped", approvals }, now);
  return { type: "ended", candidate: changed, round: closed(round) };
}

function goOnPromote(state: State, candidate: Candidate, round: Round, policy: Policy, now: number): Event {
  if (round.step === "none" || round.step === "gate")
    return beginPromote(state, candidate, round, policy, now);
  const no = refusedBy(round);
  if (no)
    return {
      type: "ended",
      candidate: moved(candidate, { state: "failed", reason: no.reason }, now),
      round: closed(round, refusalOf(no)),
      tell: ["canary_clear", "release"],
    };
  if (round.step === "prepare") return next(candidate, round, "activate");
  const handles: readonly Artifact[] = round.answers.flatMap(({ answer }) => answer?.replaced ?? []);
  return {
    type: "ended",
    candidate: moved(candidate, { state: "promoted", handles }, now),
    round: closed(round),
  };
}

/** The approvals have to be of what there is now. */
function beginPromote(state: State, candidate: Candidate, round: Round, policy: Policy, now: number): Event {
  const gate = round.answers.find((answer) => answer.gate)?.gate;
  const bound = boundOf(state, candidate, gate?.digest ?? "");
  if (candidate.approvals.some((approval) => !isSame(approval.bound, bound)))
    return voided(candidate, round, "EVIDENCE_CHANGED", "the evidence has changed since the approval", now);
  if (candidate.approvals.some(({ at }) => now >= at + policy.approvalTtlMs))
    return voided(candidate, round, "APPROVAL_EXPIRED", "the approval is too old", now);
  const promoting = moved(candidate, { state: "promoting" }, now);
  return { type: "asked", candidate: promoting, round: prepared(candidate, round, "activate") };
}

function voided(candidate: Candidate, round: Round, reason: string, detail: string, now: number): Event {
  return {
    type: "ended",
    candidate: moved(candidate, { state: "canary_stopped", approvals: [], reason }, now),
    round: closed(round, refuse("FAILED_PRECONDITION", `${detail}: approve again`, { reason })),
  };
}

function goOnRollback(candidate: Candidate, round: Round, now: number): Event {
  const no = refusedBy(round);
  if (no)
    return {
      type: "ended",
      candidate: moved(candidate, { state: "promoted", reason: no.reason }, now),
      round: closed(round, refusalOf(no)),
      tell: ["release"],
    };
  if (round.step === "prepare") return next(candidate, round, "restore");
  const { reason } = round.given;
  const changed = moved(candidate, { state: "rolled_back", ...(reason ? { reason } : {}) }, now);
  return { type: "ended", candidate: changed, round: closed(round) };
}
