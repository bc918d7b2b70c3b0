import { createHmac } from "node:crypto";
import { digestOf, toRfc3339 } from "#base";
import type { Message } from "../kit/record.ts";
import { numbersOf } from "./receipt.ts";
import type { Artifact, Pack, Receipt } from "./record.ts";

/** What an export is made of. */
export interface Dumped {
  readonly pack: Pack;
  readonly artifacts: readonly Artifact[];
  readonly receipts: readonly Receipt[];
}

/** Its receipts are those of one page. */
export interface DumpPage extends Dumped {
  readonly next_page_token: string;
}

/**
 * The in-toto Statement that an export signs. It has the fields written here and no others: what callers wrote freely is there as a
 * digest, principals as pseudonyms of the tenant, contents and places of storage not at all.
 */
export function manifestOf({ pack, artifacts, receipts }: Dumped, secret: string): Message {
  const pseudonym = (principal: string) =>
    principal === ""
      ? ""
      : `p_${createHmac("sha256", secret).update(`principal ${principal}`).digest("hex")}`;
  const digests = new Set([
    pack.digest,
    ...(pack.candidate ? [pack.candidate.digest] : []),
    ...artifacts.map(({ digest }) => digest),
    ...receipts.flatMap(({ statement }) => statement.subject.map(({ digest }) => `sha256:${digest.sha256}`)),
  ]);
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...digests].sort().map((digest) => ({ digest: { sha256: digest.slice("sha256:".length) } })),
    predicateType: "urn:switchyard:evidence-manifest:v1",
    predicate: {
      pack_id: pack.id,
      tenant_id: pack.tenant,
      environment_id: pack.environment,
      candidate_id: pack.candidate?.id ?? "",
      candidate_digest: pack.candidate?.digest ?? "",
      state: pack.state,
      digest: pack.digest,
      name_digest: digestOf(pack.name),
      labels_digest: digestOf(pack.labels),
      created_at: toRfc3339(pack.createdAt),
      updated_at: toRfc3339(pack.updatedAt),
      requirements: pack.requirements,
      artifacts: [...artifacts].sort(byDigest).map((artifact) => ({
        digest: artifact.digest,
        size: artifact.size,
        name_digest: digestOf(artifact.name),
        created_at: toRfc3339(artifact.createdAt),
      })),
      receipts: [...receipts].sort(byDigest).map((receipt) => receiptEntry(receipt, pseudonym)),
    },
  };
}

function receiptEntry(receipt: Receipt, pseudonym: (principal: string) => string): Message {
  const { predicate, subject } = receipt.statement;
  const { expires_at } = predicate;
  return {
    id: receipt.id,
    type: receipt.type,
    digest: receipt.digest,
    subjects: subject.map(({ digest }) => `sha256:${digest.sha256}`),
    environment_id: predicate.environment_id,
    candidate_id: predicate.candidate_id,
    result: predicate.result,
    produced_at: predicate.produced_at,
    ...(expires_at !== undefined && { expires_at }),
    counts: numbersOf(receipt.type, predicate.receipt),
    receipt_digest: digestOf(predicate.receipt),
    details_digest: digestOf(predicate.details),
    run_id: receipt.runId,
    producer_key_id: receipt.producerKeyId,
    created_by: pseudonym(receipt.createdBy),
    created_at: toRfc3339(receipt.createdAt),
  };
}

function byDigest(a: { readonly digest: string }, b: { readonly digest: string }): number {
  return a.digest < b.digest ? -1 : 1;
}
