import test from "ava";
import { DrivenPromotions } from "../../test/support/promotions.ts";
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
const steps: Readonly<Record<string, readonly string[]>> = {
  created: [],
  preflighted: ["Preflight"],
  guarded: ["Preflight", "EvaluateGuardrails"],
  canary: ["Preflight", "EvaluateGuardrails", "StartCanary"],
  canary_stopped: ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary"],
  approved: ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary", "Approve"],
  promoted: ["Preflight", "EvaluateGuardrails", "StartCanary", "StopCanary", "Approve", "Promote"],
  rolled_back: [
    "Preflight",
    "EvaluateGuardrails",
    "StartCanary",
    "StopCanary",
    "Approve",
    "Promote",
    "Rollback",
  ],
  aborted: ["Preflight", "Abort"],
};

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

for (const [state, way] of Object.entries(steps))
  test(`a candidate that is ${state} takes what the table says, and a refused operation leaves it as it is`, async (t) => {
    for (const operation of operations) {
      const bench = new DrivenPromotions({ "promotion.allow_self_approval": true });
      const pool_id = await bench.pool();
      const version = await bench.proposal(pool_id, ["one"]);
      const candidate_id = await bench.candidate([{ kind: "routing", id: pool_id, version }]);
      for (const step of way) await bench.call(step, { candidate_id, ...(step === "Approve" && approval) });
      t.is(await bench.outcome("GetCandidate", { candidate_id }), state);
      const more =
        operation === "approve" ? approval : operation === "canary_start" ? { share_bps: 900 } : {};
      const outcome = await bench.outcome(methods[operation], { candidate_id, ...more });
      if (decided[state as CandidateState].split(" ").includes(letters[operation]))
        t.true(reached[operation].includes(outcome as CandidateState), `${state} ${operation} ${outcome}`);
      else {
        t.regex(outcome, /^(STATE_CONFLICT|FAILED_PRECONDITION)/, `${state} ${operation}`);
        t.is(await bench.outcome("GetCandidate", { candidate_id }), state);
      }
    }
  });
