import test from "ava";
import { DrivenPromotions, type Message } from "../../test/support/promotions.ts";
import { type CandidateState, states } from "./record.ts";
import { type Asked, refuseState, sources } from "./table.ts";

/** As it was decided, once more by hand: p preflight, g guardrails, s start, t stop, a approve, o promote, r rollback, x abort. */
const decided: Readonly<Record<CandidateState, string>> = {
  created: "p x",
  preflighted: "p g x",
  blocked: "p x",
  guarded: "p g s x",
  canary: "g s t x",
  canary_stopped: "g a x",
  approved: "o x",
  rejected: "",
  promoting: "",
  promoted: "r",
  failed: "",
  rolling_back: "",
  rolled_back: "",
  aborted: "",
};

const letters: Readonly<Record<Asked, string>> = {
  preflight: "p",
  guardrails: "g",
  canary_start: "s",
  canary_stop: "t",
  approve: "a",
  promote: "o",
  rollback: "r",
  abort: "x",
};

const methods: Readonly<Record<Asked, string>> = {
  preflight: "Preflight",
  guardrails: "EvaluateGuardrails",
  canary_start: "StartCanary",
  canary_stop: "StopCanary",
  approve: "Approve",
  promote: "Promote",
  rollback: "Rollback",
  abort: "Abort",
};
const operations = Object.keys(sources) as Asked[];

test("every state takes the operations that were decided, and refuses the others with what it takes", (t) => {
  for (const state of states)
    for (const operation of operations) {
      const refusal = refuseState(operation, state);
      const taken = decided[state].split(" ").includes(letters[operation]);
      t.is(refusal === undefined, taken, `${state} ${operation}`);
      if (refusal === undefined) continue;
      const blocked = state === "blocked" && operation === "guardrails";
      t.is(refusal.code, blocked ? "FAILED_PRECONDITION" : "STATE_CONFLICT", `${state} ${operation}`);
      if (blocked) t.is(refusal.reason, "PREFLIGHT_BLOCKED");
      else t.is(refusal.extra?.state, state);
    }
});

const approval = { decision: "approve", reason: "fine", accept_inconclusive: true };
const canary = ["Preflight", "EvaluateGuardrails", "StartCanary"];
const stopped = [...canary, "StopCanary"];
const toApproved = [...stopped, "Approve"];
/** How a candidate comes to each state. `edit`: the pool is changed directly; `silence`: pools do not answer this step any more. */
const ways: Readonly<Record<CandidateState, readonly string[]>> = {
  created: [],
  preflighted: ["Preflight"],
  blocked: ["Preflight"],
  guarded: ["Preflight", "EvaluateGuardrails"],
  canary,
  canary_stopped: stopped,
  approved: toApproved,
  rejected: [...stopped, "reject"],
  promoting: [...toApproved, "silence activate", "Promote"],
  promoted: [...toApproved, "Promote"],
  failed: [...toApproved, "edit", "Promote"],
  rolling_back: [...toApproved, "Promote", "silence restore", "Rollback"],
  rolled_back: [...toApproved, "Promote", "Rollback"],
  aborted: ["Preflight", "Abort"],
};

async function reach(state: CandidateState) {
  const bench = new DrivenPromotions({ "promotion.allow_self_approval": true });
  const pool_id = await bench.pool();
  // A version that changes nothing is blocked.
  const version = await bench.proposal(pool_id, state === "blocked" ? [] : ["one"]);
  const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }]);
  for (const step of ways[state]) {
    const [act, silenced] = step.split(" ");
    if (act === "edit") await bench.rule(pool_id, "late", "late");
    else if (act === "silence") bench.silence(silenced!);
    else if (act === "reject")
      await bench.outcome("Approve", { candidate_id, decision: "reject", reason: "no" });
    else await bench.outcome(step, { candidate_id, ...(step === "Approve" && approval) });
  }
  return { bench, candidate_id, pool_id };
}

const reached: Readonly<Record<Asked, readonly CandidateState[]>> = {
  preflight: ["preflighted"],
  guardrails: ["guarded", "canary", "canary_stopped"],
  canary_start: ["canary"],
  canary_stop: ["canary_stopped"],
  approve: ["approved"],
  promote: ["promoted"],
  rollback: ["rolled_back"],
  abort: ["aborted"],
};

for (const state of states)
  test(`a candidate that is ${state} takes what the table says, and a refused operation leaves it as it is`, async (t) => {
    for (const operation of operations) {
      const { bench, candidate_id, pool_id } = await reach(state);
      const before = await bench.call("GetCandidate", { candidate_id });
      t.is(before.state, state);
      const isUnderWay = state === "promoting" || state === "rolling_back";
      const { waiting_for } = (before.operation ?? {}) as Message;
      t.deepEqual(waiting_for, isUnderWay ? [pool_id] : undefined);
      const more =
        operation === "approve" ? approval : operation === "canary_start" ? { share_bps: 900 } : {};
      const outcome = await bench.outcome(methods[operation], { candidate_id, ...more });
      if (decided[state].split(" ").includes(letters[operation])) {
        const expected = state === "blocked" && operation === "preflight" ? ["blocked"] : reached[operation];
        t.true(expected.includes(outcome as CandidateState), `${state} ${operation} ${outcome}`);
        continue;
      }
      if (isUnderWay) t.is(outcome, "STATE_CONFLICT OPERATION_OPEN", operation);
      else if (state === "blocked" && operation === "guardrails")
        t.is(outcome, "FAILED_PRECONDITION PREFLIGHT_BLOCKED");
      else t.is(outcome, "STATE_CONFLICT", `${state} ${operation}`);
      t.deepEqual(await bench.call("GetCandidate", { candidate_id }), before);
    }
  });
