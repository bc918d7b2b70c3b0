import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { dsse } from "@sigstore/core";
import test from "ava";
import { type Envelope, keyIdOf, type PublicKey, signersOf } from "./dsse.ts";

interface Vector {
  readonly id: string;
  readonly envelope: Envelope;
  readonly trustedKeys: readonly string[];
  readonly threshold: number;
  readonly supportedPayloadTypes: readonly string[];
  readonly pae: string;
  readonly expect: "accept" | "reject";
}

const { keys, vectors } = JSON.parse(
  readFileSync(new URL("../../test/vectors/dsse.json", import.meta.url), "utf8"),
) as { readonly keys: Readonly<Record<string, string>>; readonly vectors: readonly Vector[] };

function keyOf(name: string): PublicKey {
  const x = Buffer.from(keys[name]!, "hex").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return { keyId: keyIdOf(key), key };
}

test("there are nine vectors of the DSSE project", (t) => {
  t.is(vectors.length, 9);
});

for (const { id, envelope, trustedKeys, threshold, supportedPayloadTypes, pae, expect } of vectors)
  test(`DSSE vector ${id}: ${expect}`, (t) => {
    const signers = signersOf(envelope, trustedKeys.map(keyOf));
    const supported = supportedPayloadTypes.includes(envelope.payloadType);
    t.is(supported && signers.length >= threshold ? "accept" : "reject", expect);
    if (expect === "reject") return;
    const payload = Buffer.from(envelope.payload, "base64");
    t.is(dsse.preAuthEncoding(envelope.payloadType, payload).toString("hex"), pae);
  });
