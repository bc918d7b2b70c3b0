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
  const found = foundIn(file);
  if (!found) return failed("there is no DSSE envelope in the file");
  const keys = keysOf(jwks);
  if (keys.length === 0) return failed("there is no Ed25519 key in the key set");
  const { envelope, manifest } = found;
  const [signer] = signersOf(envelope, keys);
  if (!signer) return failed("none of the keys signed this payload");
  if (envelope.payloadType !== inTotoType)
    return failed(`the payload is ${envelope.payloadType}, not ${inTotoType}`);
  if (!isAsMade(envelope, signer))
    return failed(`the envelope is not written as the service writes it for its key ${signer.keyId}`);
  return reportOf(Buffer.from(envelope.payload, "base64").toString(), manifest, signer.keyId);
}

function reportOf(payload: string, readable: unknown, keyId: string): ExportReport {
  const manifest = parsed(payload) as Manifest | undefined;
  if (manifest?.predicateType !== "urn:switchyard:evidence-manifest:v1")
    return failed("what was signed is no manifest of evidence");
  if (!isText(manifest, payload)) return failed("the payload is not canonical JSON");
  if (readable !== undefined && !isText(readable, payload))
    return failed("`manifest` is not what was signed: the payload of the envelope says something else");
  const { pack_id, environment_id, digest, receipts } = manifest.predicate;
  const passed = receipts.filter(({ result }) => result === "passed").length;
  return {
    findings: [],
    summary: `pack ${pack_id} of ${environment_id}, ${digest}, ${receipts.length} receipts (${passed} passed), signed by ${keyId}`,
  };
}

/** Characters that base64 decoding passes over, and a `keyid` that names another key, would be read as if they were signed. */
function isAsMade({ payload, signatures }: Envelope, { keyId }: PublicKey): boolean {
  const isBase64 = (text: string) => Buffer.from(text, "base64").toString("base64") === text;
  const isOurs = (one: object) => Object.keys(one).sort().join() === "keyid,sig";
  return (
    isBase64(payload) &&
    signatures.every((one) => isOurs(one) && isBase64(one.sig)) &&
    signatures.some(({ keyid }) => keyid === keyId)
  );
}

function isText(value: unknown, text: string): boolean {
  return uncanonical(value, "manifest") === undefined && canonicalText(value) === text;
}

function failed(finding: string): ExportReport {
  return { findings: [finding], summary: "" };
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

interface Found {
  readonly envelope: Envelope;
  /** The copy for reading. */
  readonly manifest?: unknown;
}

/** An envelope, what holds it beside its manifest, or the answer around that. A file with two of them is none of these. */
function foundIn(file: unknown): Found | undefined {
  const alone = envelopeOf(file);
  if (alone) return { envelope: alone };
  const { data, ...holder } = (file ?? {}) as { data?: unknown; envelope?: unknown; manifest?: unknown };
  if (data !== undefined) return "envelope" in holder || "manifest" in holder ? undefined : foundIn(data);
  const envelope = envelopeOf(holder.envelope);
  return envelope && { envelope, manifest: holder.manifest };
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
