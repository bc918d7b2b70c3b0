import { generateKeyPairSync, sign } from "node:crypto";
import { dsse } from "@sigstore/core";
import test from "ava";
import fc from "fast-check";
import { canonicalText } from "#base";
import { createSigner } from "../../gateway/key-ring/index.ts";
import type { Statement } from "../kit/evidence.ts";
import { inTotoType, publicKeyOf, signEnvelope, signersOf } from "./dsse.ts";
import { type Dumped, manifestOf } from "./manifest.ts";
import { statementOf } from "./receipt.ts";
import type { Pack, Receipt } from "./record.ts";
import { readSigned } from "./signed-receipt.ts";
import { verifyExport } from "./verify.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const signer = createSigner(String(privateKey.export({ type: "pkcs8", format: "pem" })));
const spki = publicKey.export({ type: "spki", format: "der" }).toString("base64");
const jwks = { keys: [{ kty: "OKP", crv: "Ed25519", x: signer.publicX }] };
const digest = `sha256:${"a".repeat(64)}`;

/** A pack whose free-form values, storage refs, payloads and principals are what a test plants. */
function packWith(planted: string): Dumped {
  const pack: Pack = {
    id: "01J9ZC5T8N4W0QK7V3M2B6XH1D",
    tenant: "01J9ZC5T8N4W0QK7V3M2B6XH1E",
    environment: "staging",
    name: planted,
    labels: { [planted]: planted },
    requirements: [],
    state: "open",
    artifacts: [digest],
    digest,
    createdAt: 1,
    updatedAt: 1,
    recordVersion: 1,
  };
  const artifact = { name: planted, mediaType: "application/json", digest, size: 3, storageRef: planted };
  const bodies = {
    scenario: { passed: 1 },
    connector: { checks: [{ name: planted, passed: true }] },
    graph: { cycles: 0, unresolved: [] },
    canary: { figures: { [planted]: planted } },
  };
  const receipts = Object.entries(bodies).map(([type, body], index): Receipt => {
    const request = {
      [type]: body,
      result: "passed" as const,
      subjects: [{ name: planted, digest }],
      details: { [planted]: [planted] },
    };
    const statement = statementOf(type as "scenario", request, pack, 1) as Statement;
    return {
      id: `r${index}`,
      type: type as "scenario",
      statement,
      digest: `sha256:${String(index).repeat(64)}`,
      runId: "",
      producerKeyId: "",
      createdBy: planted,
      createdAt: 1,
    };
  });
  return { pack, artifacts: [{ ...artifact, id: "a", hasContent: false, createdAt: 1 }], receipts };
}

test("property: nothing that callers wrote freely, no storage ref and no principal is in an export", (t) => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 40 }), (text) => {
      const planted = `planted-${text}`;
      const exported = canonicalText(manifestOf(packWith(planted), "secret"));
      t.false(exported.includes("planted-"), exported);
    }),
    { numRuns: 200 },
  );
});

test("given the same pack, then the same bytes are signed; given one flipped byte, then the export is refused", (t) => {
  const payload = Buffer.from(canonicalText(manifestOf(packWith("planted"), "secret")));
  const envelope = signEnvelope(payload, inTotoType, signer);
  t.deepEqual(signEnvelope(payload, inTotoType, signer), envelope);
  const { findings, summary } = verifyExport({ data: { envelope } }, jwks);
  t.deepEqual(findings, []);
  t.regex(summary, /^pack 01J9ZC5T8N4W0QK7V3M2B6XH1D of staging, .* 4 receipts \(4 passed\)/);
  for (let at = 0; at < payload.length; at += 97) {
    const flipped = Buffer.from(payload);
    flipped[at]! ^= 1;
    t.not(verifyExport({ ...envelope, payload: flipped.toString("base64") }, jwks).findings.length, 0);
  }
  const other = { keys: [{ ...jwks.keys[0]!, x: Buffer.alloc(32, 1).toString("base64url") }] };
  t.not(verifyExport(envelope, other).findings.length, 0);
  t.not(verifyExport({ ...envelope, payloadType: "text/plain" }, jwks).findings.length, 0);
  for (const environment of ["\\ud800", "\\u0073taging"]) {
    const written = Buffer.from(payload.toString().replaceAll("staging", environment));
    const { findings } = verifyExport(signEnvelope(written, inTotoType, signer), jwks);
    t.deepEqual(findings, ["the payload is not canonical JSON"], environment);
  }
});

test("given an export with any one leaf changed, removed or added, alone or in an answer, then it is refused", (t) => {
  const manifest = manifestOf(packWith("planted"), "secret");
  const envelope = signEnvelope(Buffer.from(canonicalText(manifest)), inTotoType, signer);
  const whole = { manifest, envelope };
  t.deepEqual(verifyExport(whole, jwks).findings, []);
  t.deepEqual(verifyExport({ data: whole, meta: { request_id: "r" } }, jwks).findings, []);
  const edits = [...editsOf(whole)];
  t.true(edits.length > 150, `${edits.length} edits`);
  for (const [at, edited] of edits)
    for (const file of [edited, { data: edited }]) t.is(verifyExport(file, jwks).findings.length, 1, at);
  // A second copy outside the one that was checked.
  for (const file of [
    { data: whole, manifest },
    { data: whole, envelope },
    { data: { data: whole, manifest } },
  ])
    t.is(verifyExport(file, jwks).findings.length, 1);
});

/** Every document that differs from this one by one leaf, and where. */
function* editsOf(value: unknown, at = ""): Generator<[at: string, edited: unknown]> {
  if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const path = `${at}/${name}`;
      for (const [where, edited] of editsOf(member, path)) yield [where, replaced(value, name, edited)];
      // Without its manifest an export is the envelope alone.
      if (path !== "/manifest") yield [`${path} removed`, replaced(value, name, undefined)];
    }
    if (at !== "")
      yield [`${at} with one more`, replaced(value, Array.isArray(value) ? `${value.length}` : "more", 1)];
  } else if (typeof value === "number") yield [at, value + 1];
  else if (typeof value === "boolean") yield [at, !value];
  else yield [at, `${String(value)}x`];
}

function replaced(value: object, name: string, member: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  if (member !== undefined) copy[name] = member;
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy;
}

test("the example of the DSSE specification has the encoding that it gives", (t) => {
  const encoded = dsse.preAuthEncoding("http://example.com/HelloWorld", Buffer.from("hello world"));
  t.is(encoded.toString(), "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
});

test("given a receipt that a trusted producer signed, then it is read; given anything else, then it is refused", (t) => {
  const trusted = [publicKeyOf(spki)];
  const { statement } = packWith("planted").receipts[0]!;
  const envelopeOf = (payload: unknown, type = inTotoType) => {
    const bytes = Buffer.from(JSON.stringify(payload));
    const sig = sign(null, dsse.preAuthEncoding(type, bytes), privateKey).toString("base64");
    return { payload: bytes.toString("base64"), payloadType: type, signatures: [{ keyid: "a hint", sig }] };
  };
  const good = envelopeOf(statement);
  t.like(readSigned(good, trusted), { type: "scenario", keyId: trusted[0]!.keyId });
  t.is(signersOf(good, trusted)[0]?.keyId, trusted[0]!.keyId);
  const bad: readonly unknown[] = [
    {},
    { ...good, more: 1 },
    { ...good, signatures: [] },
    { ...good, payload: Buffer.from("{}").toString("base64") },
    envelopeOf(statement, "text/plain"),
    envelopeOf({ ...statement, more: 1 }),
    envelopeOf({ ...statement, predicate: { ...statement.predicate, result: "perhaps" } }),
    envelopeOf({ ...statement, predicateType: "urn:other" }),
    envelopeOf({ ...statement, subject: [] }),
    envelopeOf({ ...statement, predicate: { ...statement.predicate, candidate_id: "a secret" } }),
    envelopeOf({ ...statement, predicate: { ...statement.predicate, environment_id: "a secret" } }),
  ];
  for (const one of bad) t.like(readSigned(one, trusted), { code: "INVALID_ARGUMENT" }, JSON.stringify(one));
  t.like(readSigned(good, []), { code: "INVALID_ARGUMENT" });
});
