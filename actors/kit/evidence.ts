import { handleOf } from "#base";
import type {
  AddReceiptRequest,
  CanaryReceipt as CanaryFigures,
  ConnectorReceipt,
  GetPackRequest,
  GraphReceipt,
  RuntimeReceipt,
  ScenarioReceipt,
  StrategyReceipt,
} from "#protos";
import type { Address } from "#runtime";
import { contractMethod, method } from "./ask.ts";
import type { GatePhase, GateResult, ReceiptType } from "./evidence-gate.ts";
import type { Message } from "./record.ts";

/**
 * What promotions and evidence packs tell one another; both answer every question, also with "no". A pack gets its candidate by a
 * `CandidateNote`: when a candidate is created with it, or when the handler of `:attach-to-promotion` asked the promotion to take it.
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
  /** What the canary showed; at most a few KiB. */
  readonly details: Message;
}

/** From a pack to the promotion of its candidate: an approval that is bound to another digest is void. */
export interface PackChanged {
  readonly type: "pack_changed";
  readonly packId: string;
  readonly digest: string;
}

/**
 * The promotion takes the pack unless it has another one, is of another environment or has ended, and answers when its pack has the
 * note.
 */
export const attachPack = method<AttachPack, Message>("promotion", "AttachPack");

export interface AttachPack {
  readonly candidate_id: string;
  readonly pack_id: string;
  readonly environment: string;
}

export type PackRef = GetPackRequest;

export const getPack = contractMethod("evidence_pack", "EvidenceService.GetPack");

/** The handler has looked at what only the installation knows. */
export const addReceipt = method<AddedReceipt, Message>("evidence_pack", "AddReceipt");

/** As the contract has it, without the lease of a run. */
export type ReceiptRequest = Partial<
  Omit<AddReceiptRequest, keyof PackRef | "dsse" | "run_id" | "lease_token">
>;

export interface AddedReceipt extends ReceiptRequest, PackRef {
  /** What a trusted producer signed. */
  readonly signed?: SignedReceipt;
  readonly run_id?: string;
  readonly lease_token?: string;
}

export interface SignedReceipt {
  readonly type: ReceiptType;
  readonly statement: Statement;
  readonly keyId: string;
}

/** An in-toto Statement v1. */
export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: Predicate;
}

/** What receipts of all types have in them. */
export type ReceiptBody = Partial<
  ScenarioReceipt & ConnectorReceipt & StrategyReceipt & RuntimeReceipt & GraphReceipt & CanaryFigures
>;

export interface Predicate {
  readonly receipt: ReceiptBody;
  readonly environment_id: string;
  readonly candidate_id: string;
  readonly result: "passed" | "failed" | "blocked";
  readonly produced_at: string;
  readonly expires_at?: string;
  readonly details: Message;
}
