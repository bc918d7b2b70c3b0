import { digestOf, toRfc3339 } from "#base";
import type { Statement } from "../kit/evidence.ts";
import type { GateReceipt, ReceiptType, Requirement } from "../kit/evidence-gate.ts";
import { type Message, type Owned, stampsOf } from "../kit/record.ts";

/** A pack as its entity keeps it; artifacts, receipts and runs have rows of their own. */
export interface Pack extends Owned {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requirements: readonly Requirement[];
  readonly state: "open" | "archived";
  /** The promotion that has taken the pack; it says itself whether it can still change. */
  readonly candidate?: { readonly id: string; readonly digest: string; readonly open: boolean };
  /** Of its artifacts. */
  readonly artifacts: readonly string[];
  readonly digest: string;
}

/** From the directory to the pack that it makes. */
export interface PackCreation {
  readonly type: "create";
  readonly pack: Pack;
}

/** Its content is a row of its own. */
export interface Artifact {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly storageRef: string;
  readonly hasContent: boolean;
  readonly createdAt: number;
}

export interface Receipt {
  readonly id: string;
  readonly type: ReceiptType;
  readonly statement: Statement;
  readonly digest: string;
  readonly runId: string;
  readonly producerKeyId: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

export type RunState = "pending" | "running" | "succeeded" | "failed" | "cancelled" | "expired";

export interface Run {
  readonly id: string;
  readonly kind: ReceiptType;
  readonly mode: "sandbox" | "dry_run";
  readonly state: RunState;
  readonly leaseToken: string;
  readonly leaseSeconds: number;
  /** 0 once it has ended. */
  readonly leaseExpiresAt: number;
  readonly deadlineAt: number;
  readonly receiptId: string;
  readonly createdBy: string;
  readonly cancelReason: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const packKind = "evidence_pack";

/** Of what an approval rests on, whatever the order in which it came. */
export function packDigest(pack: Pack, receipts: Iterable<Pick<GateReceipt, "digest">>): string {
  return digestOf({
    version: 1,
    pack_id: pack.id,
    environment_id: pack.environment,
    candidate_id: pack.candidate?.id ?? "",
    candidate_digest: pack.candidate?.digest ?? "",
    requirements: [...pack.requirements]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((requirement) => ({ ...requirement, dependsOn: [...requirement.dependsOn].sort() })),
    artifacts: [...pack.artifacts].sort(),
    receipts: Array.from(receipts, ({ digest }) => digest).sort(),
  });
}

export interface PackCounts {
  readonly receipts: number;
  readonly openRuns: number;
}

export function packMessage(pack: Pack, counts: PackCounts): Message {
  return {
    id: pack.id,
    tenant_id: pack.tenant,
    environment_id: pack.environment,
    name: pack.name,
    labels: pack.labels,
    candidate_id: pack.candidate?.id ?? "",
    requirements: pack.requirements.map(requirementMessage),
    state: pack.state,
    digest: pack.digest,
    artifact_count: pack.artifacts.length,
    receipt_count: counts.receipts,
    open_run_count: counts.openRuns,
    ...stampsOf(pack),
  };
}

export function requirementMessage(requirement: Requirement): Message {
  return {
    id: requirement.id,
    receipt_type: requirement.receiptType,
    subject: requirement.subject,
    phase: requirement.phase,
    max_age_seconds: requirement.maxAgeSeconds,
    producer_signed: requirement.producerSigned,
    depends_on: requirement.dependsOn,
  };
}

export function artifactMessage(pack: Pack, artifact: Artifact, content?: unknown): Message {
  return {
    id: artifact.id,
    pack_id: pack.id,
    environment_id: pack.environment,
    name: artifact.name,
    media_type: artifact.mediaType,
    digest: artifact.digest,
    size: artifact.size,
    storage_ref: artifact.storageRef,
    ...(content !== undefined && { content }),
    created_at: toRfc3339(artifact.createdAt),
  };
}

export function receiptMessage(pack: Pack, receipt: Receipt): Message {
  const { predicate, subject } = receipt.statement;
  return {
    id: receipt.id,
    pack_id: pack.id,
    environment_id: predicate.environment_id,
    [receipt.type]: predicate.receipt,
    subjects: subject.map(({ name, digest }) => ({ name, digest: `sha256:${digest.sha256}` })),
    candidate_id: predicate.candidate_id,
    result: predicate.result,
    produced_at: predicate.produced_at,
    ...(predicate.expires_at !== undefined && { expires_at: predicate.expires_at }),
    run_id: receipt.runId,
    details: predicate.details,
    digest: receipt.digest,
    producer_key_id: receipt.producerKeyId,
    created_by: receipt.createdBy,
    created_at: toRfc3339(receipt.createdAt),
  };
}

export function runMessage(pack: Pack, run: Run): Message {
  return {
    id: run.id,
    pack_id: pack.id,
    environment_id: pack.environment,
    kind: run.kind,
    mode: run.mode,
    state: run.state,
    ...(run.leaseExpiresAt > 0 && { lease_expires_at: toRfc3339(run.leaseExpiresAt) }),
    deadline_at: toRfc3339(run.deadlineAt),
    receipt_id: run.receiptId,
    created_by: run.createdBy,
    cancel_reason: run.cancelReason,
    created_at: toRfc3339(run.createdAt),
    updated_at: toRfc3339(run.updatedAt),
  };
}

/** What the gate keeps of a receipt in memory. */
export function gateReceiptOf(receipt: Receipt): GateReceipt {
  const { predicate, subject } = receipt.statement;
  const { contract_sha256: contract } = predicate.receipt;
  return {
    id: receipt.id,
    type: receipt.type,
    subjects: subject.map(({ digest }) => `sha256:${digest.sha256}`),
    environment: predicate.environment_id,
    candidateId: predicate.candidate_id,
    result: predicate.result,
    producedAt: Date.parse(predicate.produced_at),
    ...(predicate.expires_at !== undefined && { expiresAt: Date.parse(predicate.expires_at) }),
    producerSigned: receipt.producerKeyId !== "",
    ...(receipt.type === "runtime" && { contractSha256: String(contract) }),
    digest: receipt.digest,
  };
}
