import { limits, toRfc3339 } from "#base";
import {
  evaluateGate,
  type GateReason,
  type GateReceipt,
  type GateTarget,
  type Requirement,
  type RequirementStatus,
  reasonsAgainst,
} from "../kit/evidence-gate.ts";
import type { Message } from "../kit/record.ts";
import type { Pack } from "./record.ts";

type Receipts = ReadonlyMap<string, GateReceipt>;

export function gateMessage(pack: Pack, receipts: Receipts, target: GateTarget): Message {
  return {
    ...messageOf(pack, target),
    ...evaluateGate(pack.requirements, [...receipts.values()], target),
    phase: target.phase ?? "",
    evaluated_at: toRfc3339(target.now),
  };
}

/** Per requirement: the receipt that decided, why the others did not, and what to do. */
export function explain(pack: Pack, receipts: Receipts, target: GateTarget): Message {
  const all = [...receipts.values()];
  const { satisfied, requirements } = evaluateGate(pack.requirements, all, target);
  return {
    ...messageOf(pack, target),
    satisfied,
    requirements: requirements.map((status) => explained(pack, all, target, status)),
  };
}

function messageOf({ id, environment, digest }: Pack, { candidateId }: GateTarget): Message {
  return { pack_id: id, environment_id: environment, candidate_id: candidateId, digest };
}

function explained(
  pack: Pack,
  receipts: readonly GateReceipt[],
  target: GateTarget,
  status: RequirementStatus,
): Message {
  const requirement = pack.requirements.find(({ id }) => id === status.id)!;
  const others = receipts
    .filter(({ id, type }) => type === requirement.receipt_type && id !== status.receipt_id)
    .sort((a, b) => b.producedAt - a.producedAt || (a.id < b.id ? 1 : -1));
  const shown = others.slice(0, limits.evidenceOthersMax);
  return {
    gate: status,
    others: shown.map((receipt) => ({
      receipt_id: receipt.id,
      reasons: notDeciding(requirement, receipt, target),
    })),
    others_left_out: others.length - shown.length,
    next_steps: status.reasons.flatMap((reason) => nextStep(reason, requirement, target)),
  };
}

/** One of the right candidate and environment did not decide because there is a newer one. */
function notDeciding(requirement: Requirement, receipt: GateReceipt, target: GateTarget): readonly string[] {
  const against = reasonsAgainst(requirement, receipt, target);
  const elsewhere = against.includes("wrong_candidate") || against.includes("wrong_environment");
  return elsewhere ? against : ["older", ...against];
}

function nextStep(reason: GateReason, requirement: Requirement, target: GateTarget): readonly string[] {
  const { receipt_type: type, depends_on, producer_signed } = requirement;
  switch (reason) {
    case "missing":
      return type === "canary"
        ? ["Run the canary of the promotion: its stop adds this receipt."]
        : [`Add a ${type} receipt.`];
    case "wrong_candidate":
      return requirement.subject === ""
        ? [`Add a ${type} receipt for candidate ${target.candidateId || "of this pack"}.`]
        : [`Add a ${type} receipt with the subject ${requirement.subject}.`];
    case "wrong_environment":
      return [`Test in ${target.environment} and add that receipt.`];
    case "expired":
      return ["Test again: the receipt has expired."];
    case "stale":
      return type === "runtime"
        ? ["Run the conformance suite again: the receipt is too old, or of another contract."]
        : [`Test again: the receipt is older than ${requirement.max_age_seconds} s.`];
    case "failed":
      return ["Mend what failed, test again and add that receipt."];
    case "blocked":
      return [
        ...(depends_on.length > 0 ? [`Satisfy ${depends_on.join(", ")} first.`] : []),
        ...(producer_signed
          ? ["Send the receipt as a DSSE envelope that a key of evidence.trusted_keys signed."]
          : []),
        ...(depends_on.length === 0 && !producer_signed ? ["Remove what kept the test from running."] : []),
      ];
    case "satisfied":
      return [];
  }
}
