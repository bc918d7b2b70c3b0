import { randomBytes } from "node:crypto";
import test from "ava";
import sodium from "libsodium-wrappers";
import { createKeyRing } from "../../gateway/key-ring/index.ts";
import { decrypt, type EncryptedFor, encrypt, keyIdOf } from "./secrets.ts";

const keys = new Map([
  ["k1", randomBytes(32)],
  ["k2", randomBytes(32)],
]);
const ring = createKeyRing({ activeId: "k1", byId: keys });
const of: EncryptedFor = {
  kind: "connection",
  tenant: "t1",
  environment: "production",
  id: "c1",
  version: 3,
};
const secret = { access_token: "a secret that is sent in" };

test("what is encrypted opens for its record only: not for another tenant, environment, kind, id or version", (t) => {
  const encrypted = encrypt({ keyRing: ring }, secret, of).encrypted;
  t.deepEqual(decrypt({ keyRing: ring }, encrypted, of), secret);
  const others: Partial<EncryptedFor>[] = [
    { tenant: "t2" },
    { environment: "staging" },
    { kind: "provider_config" },
    { id: "c2" },
    { version: 2 },
  ];
  for (const other of others)
    t.is(decrypt({ keyRing: ring }, encrypted, { ...of, ...other }), undefined, JSON.stringify(other));
});

test("every flipped byte, every truncation and a key that is not here are refused", (t) => {
  const bytes = Buffer.from(encrypt({ keyRing: ring }, secret, of).encrypted, "base64");
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1;
    t.is(decrypt({ keyRing: ring }, flipped.toString("base64"), of), undefined, `byte ${at}`);
    t.is(decrypt({ keyRing: ring }, bytes.subarray(0, at).toString("base64"), of), undefined, `${at} bytes`);
  }
  const other = createKeyRing({ activeId: "k3", byId: new Map([["k3", randomBytes(32)]]) });
  t.is(decrypt({ keyRing: other }, bytes.toString("base64"), of), undefined);
  t.is(keyIdOf(other, bytes.toString("base64")), "k1");
});

test("libsodium opens what we encrypt, and we open what it encrypts", async (t) => {
  await sodium.ready;
  const head = Buffer.concat([Buffer.from([1, 2]), Buffer.from("k1")]);
  const parts = [of.kind, of.tenant, of.environment, of.id, String(of.version)].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    return [length, Buffer.from(part)];
  });
  const associated = Buffer.concat([head, ...parts]);
  const bytes = Buffer.from(encrypt({ keyRing: ring }, secret, of).encrypted, "base64");
  const nonce = bytes.subarray(head.length, head.length + 24);
  const plain = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
    null,
    bytes.subarray(head.length + 24),
    associated,
    nonce,
    keys.get("k1")!,
  );
  t.deepEqual(JSON.parse(Buffer.from(plain).toString()), secret);
  const theirs = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
    JSON.stringify(secret),
    associated,
    null,
    nonce,
    keys.get("k1")!,
  );
  t.deepEqual(
    decrypt({ keyRing: ring }, Buffer.concat([head, nonce, theirs]).toString("base64"), of),
    secret,
  );
});
