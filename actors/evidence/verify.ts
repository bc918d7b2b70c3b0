import { createPublicKey } from "node:crypto";
import { canonicalText, uncanonical } from "#base";
import { type Envelope, inTotoType, keyIdOf, type PublicKey, signersOf } from "./dsse.ts";
import { envelopeOf } from "./signed-receipt.ts";

export interface ExportReport {
  /** What is wrong; empty: one of the keys signed it as it is. */
  readonly findings: readonly string[];
  readonly summary: string;
}

/** Looks at an export without the service: an envelope, alone or in the answer of `:export`, and a JSON Web Key Set. */
export function verifyExport(file: unknown, jwks: unknown): ExportReport {
  const envelope = foundIn(file);
  if (!envelope) return { findings: ["there is no DSSE envelope in the file"], summary: "" };
  const keys = keysOf(jwks);
  if (keys.length === 0) return { findings: ["there is no Ed25519 key in the key set"], summary: "" };
  const [signer] = signersOf(envelope, keys);
  if (!signer) return { findings: ["none of the keys signed this payload"], summary: "" };
  if (envelope.payloadType !== inTotoType)
    return { findings: [`the payload is ${envelope.payloadType}, not ${inTotoType}`], summary: "" };
  return reportOf(Buffer.from(envelope.payload, "base64"), signer.keyId);
}

function reportOf(payload: Buffer, keyId: string): ExportReport {
  const manifest = parsed(payload.toString()) as Manifest | undefined;
  if (manifest?.predicateType !== "urn:switchyard:evidence-manifest:v1")
    return { findings: ["what was signed is no manifest of evidence"], summary: "" };
  const { pack_id, environment_id, digest, receipts } = manifest.predicate;
  const isCanonical =
    uncanonical(manifest, "payload") === undefined && canonicalText(manifest) === payload.toString();
  const passed = receipts.filter(({ result }) => result === "passed").length;
  return {
    findings: isCanonical ? [] : ["the payload is not canonical JSON"],
    summary: `pack ${pack_id} of ${environment_id}, ${digest}, ${receipts.length} receipts (${passed} passed), signed by ${keyId}`,
  };
}

interface Manifest {
  readonly predicateType: string;
  readonly predicate: {
    readonly pack_id: string;
    readonly environment_id: string;
    readonly digest: string;
    readonly receipts: readonly { readonly result: string }[];
  };
}

function foundIn(file: unknown): Envelope | undefined {
  const { data, envelope } = (file ?? {}) as { data?: { envelope?: unknown }; envelope?: unknown };
  return envelopeOf(file) ?? envelopeOf(envelope) ?? envelopeOf(data?.envelope);
}

function keysOf(jwks: unknown): readonly PublicKey[] {
  const { keys, data } = (jwks ?? {}) as { keys?: unknown; data?: { keys?: unknown } };
  const listed = keys ?? data?.keys;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((jwk: { kty?: string; crv?: string; x?: string }) => {
    try {
      const { kty, crv, x } = jwk;
      const key = createPublicKey({ key: { kty, crv, x }, format: "jwk" } as never);
      return key.asymmetricKeyType === "ed25519" ? [{ keyId: keyIdOf(key), key }] : [];
    } catch {
      return [];
    }
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
