import { digestOf } from "#base";
import type { Statement } from "../kit/evidence.ts";
import type { GateReceipt, ReceiptType, Requirement } from "../kit/evidence-gate.ts";
import { messageOf } from "../kit/message.ts";
import type { Message, Owned } from "../kit/record.ts";

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

export interface Run {
  readonly id: string;
  readonly kind: ReceiptType;
  readonly mode: "sandbox" | "dry_run";
  readonly state: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "expired";
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
      .map((requirement) => ({ ...requirement, depends_on: [...requirement.depends_on].sort() })),
    artifacts: [...pack.artifacts].sort(),
    receipts: Array.from(receipts, ({ digest }) => digest).sort(),
  });
}

/** How many receipts and open runs a pack has. */
export interface PackCounts {
  readonly receipt_count: number;
  readonly open_run_count: number;
}

export function packMessage(pack: Pack, counts: PackCounts): Message {
  const { tenant, environment, candidate, artifacts, ...shown } = pack;
  return {
    ...messageOf(shown),
    ...counts,
    tenant_id: tenant,
    environment_id: environment,
    candidate_id: candidate?.id ?? "",
    artifact_count: artifacts.length,
  };
}

export function artifactMessage(pack: Pack, artifact: Artifact, content?: unknown): Message {
  return {
    ...messageOf(artifact, ["hasContent"]),
    ...ofPack(pack),
    ...(content !== undefined && { content }),
  };
}

export function receiptMessage(pack: Pack, receipt: Receipt): Message {
  const { type, statement, ...shown } = receipt;
  const { receipt: body, ...predicate } = statement.predicate;
  return {
    ...messageOf(shown),
    ...predicate,
    pack_id: pack.id,
    [type]: body,
    subjects: statement.subject.map(({ name, digest }) => ({ name, digest: `sha256:${digest.sha256}` })),
  };
}

/** Only the start of a run tells its lease token. */
export function runMessage(pack: Pack, run: Run): Message {
  return { ...messageOf(run, ["leaseToken", "leaseSeconds"]), ...ofPack(pack) };
}

function ofPack({ id, environment }: Pack) {
  return { pack_id: id, environment_id: environment };
}

/** What the gate keeps of a receipt in memory. */
export function gateReceiptOf(receipt: Receipt): GateReceipt {
  const { predicate, subject } = receipt.statement;
  const { contract_sha256 } = predicate.receipt;
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
    ...(receipt.type === "runtime" && { contractSha256: String(contract_sha256) }),
    digest: receipt.digest,
  };
}
