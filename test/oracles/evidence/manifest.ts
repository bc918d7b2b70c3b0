/** Writes a signed manifest that never changes, for check.py and for CI: `npm run oracles`. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { canonicalText } from "#base";
import { inTotoType, signEnvelope } from "../../../actors/evidence/dsse.ts";
import { manifestOf } from "../../../actors/evidence/manifest.ts";
import { statementOf } from "../../../actors/evidence/receipt.ts";
import type { Pack, Receipt } from "../../../actors/evidence/record.ts";
import type { Statement } from "../../../actors/kit/evidence.ts";
import { createSigner } from "../../../gateway/key-ring/index.ts";

/** The key of TEST 1 in RFC 8032, which is public. */
const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const pkcs8 = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
const digest = `sha256:${"5".repeat(64)}`;
const atMs = Date.UTC(2026, 0, 2);

const pack: Pack = {
  id: "01J9ZC5T8N4W0QK7V3M2B6XH1D",
  tenant: "01J9ZC5T8N4W0QK7V3M2B6XH1E",
  environment: "staging",
  name: "checkout routing 7",
  labels: { team: "crème brûlée" },
  requirements: [],
  state: "open",
  artifacts: [digest],
  digest,
  createdAt: atMs,
  updatedAt: atMs,
  recordVersion: 1,
};

function receiptOf(type: "scenario" | "strategy", body: object, number: number): Receipt {
  const request = { [type]: body, result: "passed" as const, subjects: [{ name: "rules", digest }] };
  return {
    id: `01J9ZC5T8N4W0QK7V3M2B6XH2${number}`,
    type,
    statement: statementOf(type, request, pack, atMs) as Statement,
    digest: `sha256:${String(number).repeat(64)}`,
    runId: "",
    producerKeyId: "",
    createdBy: "ann",
    createdAt: atMs,
  };
}

export function sampleExport() {
  const receipts = [
    receiptOf("scenario", { passed: 12 }, 1),
    receiptOf("strategy", { trials: 300, baseline: 0.25, candidate: 0.125 }, 2),
  ];
  const manifest = manifestOf({ pack, artifacts: [], receipts }, "the tenant's secret");
  const signer = createSigner(String(key.export({ type: "pkcs8", format: "pem" })));
  const payload = Buffer.from(canonicalText(manifest));
  return {
    public_key: String(createPublicKey(key).export({ type: "spki", format: "pem" })),
    jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: signer.publicX, kid: signer.keyId }] },
    envelope: signEnvelope(payload, inTotoType, signer),
  };
}
