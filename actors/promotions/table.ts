import { keysOf, type Refusal, refuse } from "#base";
import type { CandidateState } from "./record.ts";
import type { Operation } from "./rounds.ts";

export type Asked = Exclude<Operation, "look">;

/** From where each operation leads on. */
export const sources: Readonly<Record<Asked, readonly CandidateState[]>> = {
  preflight: ["created", "preflighted", "blocked", "guarded"],
  guardrails: ["preflighted", "guarded", "canary", "canary_stopped"],
  canary_start: ["guarded", "canary"],
  canary_stop: ["canary"],
  approve: ["canary_stopped"],
  promote: ["approved"],
  rollback: ["promoted"],
  abort: ["created", "preflighted", "blocked", "guarded", "canary", "canary_stopped", "approved"],
};

function allowedIn(state: CandidateState): readonly Asked[] {
  return keysOf(sources).filter((operation) => sources[operation].includes(state));
}

/** Why the operation is not for this state. */
export function refuseState(operation: Asked, state: CandidateState): Refusal | undefined {
  if (sources[operation].includes(state)) return undefined;
  if (operation === "guardrails" && state === "blocked")
    return refuse("FAILED_PRECONDITION", "the preflight found blocking reasons: mend them and run it again", {
      reason: "PREFLIGHT_BLOCKED",
    });
  const allowed = allowedIn(state);
  return refuse(
    "STATE_CONFLICT",
    `a candidate that is ${state} takes no ${operation}: ${allowed.length > 0 ? allowed.join(", ") : "nothing"} is allowed`,
    { extra: { state, allowed } },
  );
}
