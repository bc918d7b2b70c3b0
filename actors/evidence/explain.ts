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
  const { satisfied, requirements } = evaluateGate(pack.requirements, [...receipts.values()], target);
  return {
    pack_id: pack.id,
    environment_id: pack.environment,
    candidate_id: target.candidateId,
    digest: pack.digest,
    phase: target.phase ?? "",
    satisfied,
    requirements: requirements.map((status) => statusMessage(pack, status)),
    evaluated_at: toRfc3339(target.now),
  };
}

/** Per requirement: the receipt that decided, why the others did not, and what to do. */
export function explain(pack: Pack, receipts: Receipts, target: GateTarget): Message {
  const all = [...receipts.values()];
  const { satisfied, requirements } = evaluateGate(pack.requirements, all, target);
  return {
    pack_id: pack.id,
    environment_id: pack.environment,
    candidate_id: target.candidateId,
    digest: pack.digest,
    satisfied,
    requirements: requirements.map((status) => explained(pack, all, target, status)),
  };
}

function explained(
  pack: Pack,
  receipts: readonly GateReceipt[],
  target: GateTarget,
  status: RequirementStatus,
): Message {
  const requirement = pack.requirements.find(({ id }) => id === status.id)!;
  const others = receipts
    .filter(({ id, type }) => type === requirement.receiptType && id !== status.receiptId)
    .sort((a, b) => b.producedAt - a.producedAt || (a.id < b.id ? 1 : -1));
  const shown = others.slice(0, limits.evidenceOthersMax);
  return {
    gate: statusMessage(pack, status),
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
  const { receiptType: type, dependsOn, producerSigned } = requirement;
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
        : [`Test again: the receipt is older than ${requirement.maxAgeSeconds} s.`];
    case "failed":
      return ["Mend what failed, test again and add that receipt."];
    case "blocked":
      return [
        ...(dependsOn.length > 0 ? [`Satisfy ${dependsOn.join(", ")} first.`] : []),
        ...(producerSigned
          ? ["Send the receipt as a DSSE envelope that a key of evidence.trusted_keys signed."]
          : []),
        ...(dependsOn.length === 0 && !producerSigned ? ["Remove what kept the test from running."] : []),
      ];
    case "satisfied":
      return [];
  }
}

function statusMessage(pack: Pack, { id, status, reasons, receiptId = "" }: RequirementStatus): Message {
  const { receiptType } = pack.requirements.find((requirement) => requirement.id === id)!;
  return { id, receipt_type: receiptType, status, reasons, receipt_id: receiptId };
}
