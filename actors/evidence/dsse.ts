import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { dsse } from "@sigstore/core";
import type { Signer } from "../parts.ts";

/** https://github.com/secure-systems-lab/dsse, as JSON. */
export interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

export const inTotoType = "application/vnd.in-toto+json";

export function signEnvelope(payload: Buffer, payloadType: string, signer: Signer): Envelope {
  const signature = signer.sign(dsse.preAuthEncoding(payloadType, payload));
  return {
    payload: payload.toString("base64"),
    payloadType,
    signatures: [{ keyid: signer.keyId, sig: signature.toString("base64") }],
  };
}

export interface PublicKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

/** From SPKI (DER) in base64. Throws where it is none, or no key that signs. */
export function publicKeyOf(spki: string): PublicKey {
  const der = Buffer.from(spki, "base64");
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  if (key.asymmetricKeyType !== "ed25519" && key.asymmetricKeyType !== "ec")
    throw new Error("is neither an Ed25519 nor an ECDSA key");
  return { keyId: keyIdOf(key), key };
}

export function keyIdOf(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
}

/** The keys that signed it, each once; a `keyid` is a hint of the sender and proves nothing, so every key is tried. */
export function signersOf(envelope: Envelope, keys: readonly PublicKey[]): readonly PublicKey[] {
  const signed = dsse.preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, "base64"));
  const signatures = envelope.signatures.map(({ sig }) => Buffer.from(sig, "base64"));
  return keys.filter(({ key }) => signatures.some((signature) => isSignedBy(key, signed, signature)));
}

function isSignedBy(key: KeyObject, signed: Buffer, signature: Buffer): boolean {
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return verify(algorithm, signed, key, signature);
}
