/** What libraries of other people said, as `npm run oracles:evidence` kept it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "ava";
import { canonicalText } from "#base";
import { sampleExport } from "../../test/oracles/evidence/manifest.ts";
import { verifyExport } from "./verify.ts";

function kept<Kept>(name: string): Kept {
  const file = new URL(`../../test/oracles/evidence/${name}`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Kept;
}

test("10,000 random documents have the bytes that PyPI rfc8785 gave them", (t) => {
  const documents = kept<readonly (readonly [text: string, digest: string])[]>("documents.json");
  t.is(documents.length, 10_000);
  const wrong = documents.filter(([text, digest]) => {
    const hash = createHash("sha256").update(canonicalText(JSON.parse(text)));
    return !hash.digest("hex").startsWith(digest);
  });
  t.deepEqual(wrong.slice(0, 3), []);
});

test("the export that securesystemslib and in-toto-attestation took is the one that is made today", (t) => {
  const { envelope, jwks, public_key } = kept<ReturnType<typeof sampleExport>>("export.json");
  t.deepEqual({ envelope, jwks, public_key }, sampleExport());
  t.deepEqual(verifyExport(envelope, jwks).findings, []);
});

test("given that export with any one byte of payload or signature flipped, then it is refused", (t) => {
  const { envelope, jwks } = kept<ReturnType<typeof sampleExport>>("export.json");
  const flips = (text: string) =>
    Array.from({ length: Buffer.from(text, "base64").length }, (_, at) => {
      const bytes = Buffer.from(text, "base64");
      bytes[at]! ^= 1;
      return bytes.toString("base64");
    });
  const [signature] = envelope.signatures;
  const flipped = [
    ...flips(envelope.payload).map((payload) => ({ ...envelope, payload })),
    ...flips(signature!.sig).map((sig) => ({ ...envelope, signatures: [{ ...signature!, sig }] })),
  ];
  for (const one of flipped) t.is(verifyExport(one, jwks).findings.length, 1);
});
