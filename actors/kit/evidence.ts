import { handleOf } from "#base";
import type { Address } from "#runtime";
import type { GatePhase, GateResult } from "./evidence-gate.ts";

/**
 * What promotions and evidence packs tell one another; both sides answer every question, also with "no". A pack gets its candidate by
 * a `CandidateNote`: when a candidate is created with it, or when the door of `:attach-to-promotion` asked the promotion for
 * `Promotion.AttachPack {candidate_id, pack_id, environment_id}`, which refuses where it has another pack, is of another environment
 * or has ended, and answers when the note is delivered.
 */

export function packAddress(tenant: string, packId: string): Address {
  return { kind: "evidence_pack", tenant, key: handleOf(packId) };
}

export function promotionAddress(tenant: string, candidateId: string): Address {
  return { kind: "promotion", tenant, key: handleOf(candidateId) };
}

/** From a promotion to its pack, as part of a round. The answer is a `GateAnswer` with the same `ref`. */
export interface GateQuestion {
  readonly type: "gate";
  readonly ref: string;
  readonly packId: string;
  readonly candidateId: string;
  readonly candidateDigest: string;
  /** The step that the evidence is asked for. */
  readonly phase: GatePhase;
}

/** From a pack to the promotion that asked. */
export interface GateAnswer extends GateResult {
  readonly type: "gated";
  readonly ref: string;
  readonly packId: string;
  /** False: there is no such pack, or it belongs to another candidate. */
  readonly found: boolean;
  /** Of the pack: what an approval binds. Empty where it was not found. */
  readonly digest: string;
}

/**
 * From a promotion to its pack: what the candidate is, and whether it can still change. A pack is not archived while its candidate is
 * open. Sent when the candidate gets its pack and when it ends.
 */
export interface CandidateNote {
  readonly type: "candidate";
  readonly packId: string;
  readonly candidateId: string;
  readonly candidateDigest: string;
  readonly open: boolean;
}

/** From a promotion to its pack when a canary stops: the receipt that only the service itself gives. */
export interface CanaryReceipt {
  readonly type: "canary_receipt";
  readonly packId: string;
  readonly candidateId: string;
  readonly candidateDigest: string;
  readonly result: "passed" | "failed" | "blocked";
  /** The figures per side; at most a few KiB. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** From a pack to the promotion of its candidate: an approval that is bound to another digest is void. */
export interface PackChanged {
  readonly type: "pack_changed";
  readonly packId: string;
  readonly digest: string;
}

/**
 * `Promotion.AttachPack`, which the pack's door asks the promotion: it takes the pack unless it has another one, is of another
 * environment or has ended, and answers with its id and digest.
 */
export interface AttachPack {
  readonly candidate_id: string;
  readonly pack_id: string;
  readonly environment: string;
}
