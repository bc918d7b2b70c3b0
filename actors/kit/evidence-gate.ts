import type { EvidenceRequirement } from "#protos";

/** The one gate: whether the receipts of a pack are what its requirements ask for, and if not, everything that is wrong. */

export const receiptTypes = ["scenario", "connector", "strategy", "runtime", "graph", "canary"] as const;
export type ReceiptType = (typeof receiptTypes)[number];

/** Before which step of a promotion a requirement has to hold, in order; a later phase asks for the earlier ones too. */
const gatePhases = ["canary", "approval"] as const;
export type GatePhase = (typeof gatePhases)[number];

/** In the order in which the first that holds is the status. */
export const gateReasons = [
  "missing",
  "wrong_candidate",
  "wrong_environment",
  "expired",
  "stale",
  "failed",
  "blocked",
  "satisfied",
] as const;
export type GateReason = (typeof gateReasons)[number];

/** As the contract's; without a subject any receipt of the candidate will do. */
export interface Requirement extends EvidenceRequirement {
  readonly phase: GatePhase;
}

/** What the gate reads of a receipt. */
export interface GateReceipt {
  readonly id: string;
  readonly type: ReceiptType;
  /** Digests. */
  readonly subjects: readonly string[];
  readonly environment: string;
  /** Empty: the receipt is about its subjects, whatever candidate has them. */
  readonly candidateId: string;
  readonly result: "passed" | "failed" | "blocked";
  readonly producedAt: number;
  /** Absent: never. */
  readonly expiresAt?: number;
  readonly producerSigned: boolean;
  /** Of a runtime receipt: the contract that was tested. */
  readonly contractSha256?: string;
  readonly digest: string;
}

/** What the evidence has to be about. */
export interface GateTarget {
  /** Empty: the pack belongs to no candidate yet. */
  readonly candidateId: string;
  readonly candidateDigest: string;
  readonly environment: string;
  /** Of the service that asks. */
  readonly contractSha256: string;
  readonly now: number;
  /** Absent: the requirements of all phases. */
  readonly phase?: GatePhase;
}

/** As the contract's `RequirementGate`. */
export interface RequirementStatus {
  readonly id: string;
  readonly receipt_type: ReceiptType;
  readonly status: GateReason;
  /** All that hold, in order; `satisfied` stands alone. */
  readonly reasons: readonly GateReason[];
  /** The receipt that decided; empty where there is none of the type. */
  readonly receipt_id: string;
}

export interface GateResult {
  readonly satisfied: boolean;
  readonly requirements: readonly RequirementStatus[];
}

/** Order of requirements and receipts changes nothing but the order of the answer. `depends_on` has no circles. */
export function evaluateGate(
  requirements: readonly Requirement[],
  receipts: readonly GateReceipt[],
  target: GateTarget,
): GateResult {
  const asked = requirements.filter(({ phase }) => isAsked(phase, target.phase));
  const known = new Map<string, RequirementStatus>();
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const statusOf = (requirement: Requirement): RequirementStatus => {
    const before = known.get(requirement.id);
    if (before) return before;
    const open = requirement.depends_on.some((id) => {
      const dependency = byId.get(id);
      return dependency === undefined || statusOf(dependency).status !== "satisfied";
    });
    const status = judge(requirement, receipts, target, open);
    known.set(requirement.id, status);
    return status;
  };
  const statuses = asked.map(statusOf);
  return { satisfied: statuses.every(({ status }) => status === "satisfied"), requirements: statuses };
}

/** Why a receipt of the type is not the one that decides, or decides against; none: it satisfies by itself. */
export function reasonsAgainst(
  requirement: Requirement,
  receipt: GateReceipt,
  target: GateTarget,
): readonly GateReason[] {
  const reasons: GateReason[] = [];
  const { expiresAt, producedAt, result } = receipt;
  if (!isOfCandidate(requirement, receipt, target)) reasons.push("wrong_candidate");
  if (receipt.environment !== target.environment) reasons.push("wrong_environment");
  if (expiresAt !== undefined && target.now >= expiresAt) reasons.push("expired");
  const tooOld =
    requirement.max_age_seconds > 0 && target.now - producedAt > requirement.max_age_seconds * 1_000;
  const otherContract =
    receipt.contractSha256 !== undefined && receipt.contractSha256 !== target.contractSha256;
  if (tooOld || otherContract) reasons.push("stale");
  if (result === "failed") reasons.push("failed");
  if (result === "blocked" || (requirement.producer_signed && !receipt.producerSigned))
    reasons.push("blocked");
  return reasons;
}

function judge(
  requirement: Requirement,
  receipts: readonly GateReceipt[],
  target: GateTarget,
  dependencyOpen: boolean,
): RequirementStatus {
  const decides = deciding(requirement, receipts, target);
  const reasons: GateReason[] = decides ? [...reasonsAgainst(requirement, decides, target)] : ["missing"];
  if (dependencyOpen && !reasons.includes("blocked")) reasons.push("blocked");
  if (reasons.length === 0) reasons.push("satisfied");
  const { id, receipt_type } = requirement;
  return { id, receipt_type, status: reasons[0]!, reasons, receipt_id: decides?.id ?? "" };
}

/** The newest of the right candidate and environment; without one, the newest that is nearest to it. */
function deciding(
  requirement: Requirement,
  receipts: readonly GateReceipt[],
  target: GateTarget,
): GateReceipt | undefined {
  const ofType = receipts.filter(({ type }) => type === requirement.receipt_type);
  const ofCandidate = ofType.filter((receipt) => isOfCandidate(requirement, receipt, target));
  const here = ofCandidate.filter(({ environment }) => environment === target.environment);
  return newest(here) ?? newest(ofCandidate) ?? newest(ofType);
}

/** Of two of the same millisecond the worse counts, so that the order in which they came does not. */
function newest(receipts: readonly GateReceipt[]): GateReceipt | undefined {
  let found: GateReceipt | undefined;
  for (const receipt of receipts) if (found === undefined || isNewer(receipt, found)) found = receipt;
  return found;
}

const severity = { passed: 0, blocked: 1, failed: 2 } as const;

function isNewer(a: GateReceipt, b: GateReceipt): boolean {
  if (a.producedAt !== b.producedAt) return a.producedAt > b.producedAt;
  if (a.result !== b.result) return severity[a.result] > severity[b.result];
  return a.digest > b.digest;
}

function isOfCandidate(
  { subject }: Requirement,
  { candidateId, subjects }: GateReceipt,
  target: GateTarget,
): boolean {
  if (candidateId !== "" && candidateId !== target.candidateId) return false;
  if (subject !== "") return subjects.includes(subject);
  return candidateId !== "" || target.candidateId === "" || subjects.includes(target.candidateDigest);
}

function isAsked(phase: GatePhase, asked: GatePhase | undefined): boolean {
  return asked === undefined || gatePhases.indexOf(phase) <= gatePhases.indexOf(asked);
}
