import { type Refusal, refuse } from "#base";
import type { Approval, Bound, Candidate } from "./record.ts";
import type { State } from "./state.ts";

export interface Policy {
  readonly approvalsRequired: number;
  readonly allowSelfApproval: boolean;
  readonly approvalTtlMs: number;
}

/** What an approval is of, as things are now. */
export function boundOf(state: State, candidate: Candidate, pack: string): Bound {
  return { candidate: candidate.digest, pack, check: [...state.checks.values()].at(-1)?.digest ?? "" };
}

export function isSame(a: Approval["bound"], b: Approval["bound"]): boolean {
  return a.candidate === b.candidate && a.pack === b.pack && a.check === b.check;
}

export function unsatisfied(why: string): Refusal {
  return refuse("FAILED_PRECONDITION", `the evidence is not sufficient: ${why}`, {
    reason: "EVIDENCE_UNSATISFIED",
  });
}
