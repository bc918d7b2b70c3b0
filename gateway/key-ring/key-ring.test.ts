import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { loadConfig } from "../config/index.ts";
import { decrypt, encrypt } from "./envelope.ts";
import { createKeyRing, loadKeys } from "./index.ts";

const keys = { k1: randomBytes(32), k2: randomBytes(32) };
const ring = (activeId: keyof typeof keys, ...ids: (keyof typeof keys)[]) =>
  createKeyRing({ activeId, byId: new Map([activeId, ...ids].map((id) => [id, keys[id]])) });
const record = ["connection", "tenant", "production", "01J9"];

test("the 56 vectors of golang.org/x/crypto encrypt and decrypt as they say", (t) => {
  const file = new URL("../../test/vectors/xchacha20-poly1305.json", import.meta.url);
  const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: string[][] };
  t.is(vectors.length, 56);
  for (const vector of vectors) {
    const [plain, associated, key, nonce, out] = vector.map((hex) => Buffer.from(hex, "hex")) as Buffer[];
    t.deepEqual(Buffer.from(encrypt(key!, nonce!, associated!, plain!)), out);
    t.deepEqual(Buffer.from(decrypt(key!, nonce!, associated!, out!)!), plain);
  }
});

test("what is encrypted opens for its record, and is another ciphertext each time", (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.string(), { maxLength: 4 }),
      (plain, parts) => {
        const encrypted = ring("k1").encrypt(plain, parts);
        t.deepEqual(Buffer.from(ring("k2", "k1").decrypt(encrypted, parts)!), Buffer.from(plain));
        t.notDeepEqual(encrypted, ring("k1").encrypt(plain, parts));
      },
    ),
    { numRuns: 50 },
  );
});

test("what is encrypted for one record does not open for another, however its parts are cut", (t) => {
  const encrypted = ring("k1").encrypt(Buffer.from("secret"), ["a", "bc"]);
  for (const other of [["ab", "c"], ["a", "b", "c"], ["abc"], ["a", "bd"], ["a", "bc", ""], []])
    t.is(ring("k1").decrypt(encrypted, other), undefined, JSON.stringify(other));
});

test("a changed byte, a cut, an unknown key or no envelope at all opens nothing", (t) => {
  const encrypted = ring("k1").encrypt(Buffer.from("secret"), record);
  for (let at = 0; at < encrypted.length; at++) {
    const changed = Buffer.from(encrypted);
    changed[at]! ^= 1;
    t.is(ring("k1", "k2").decrypt(changed, record), undefined, `byte ${at}`);
  }
  for (let length = 0; length < encrypted.length; length++)
    t.is(ring("k1").decrypt(encrypted.subarray(0, length), record), undefined, `${length} bytes`);
  t.is(ring("k2").decrypt(encrypted, record), undefined);
  t.is(ring("k1").keyIdOf(encrypted), "k1");
});

test("the development profile makes a key once, for its owner alone; production has none unless it is set", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "switchyard.keys-"));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const load = (profile: "dev" | "production", ...set: string[]) =>
    loadKeys(loadConfig({ profile, environment: {}, set: [`storage.dir=${dir}`, ...set] }).config, profile);
  t.is(load("production"), undefined);
  const made = load("dev")!.byId.get("k1");
  t.is(made?.length, 32);
  t.deepEqual(load("dev")!.byId.get("k1"), made);
  t.is(statSync(join(dir, "encryption.key")).mode & 0o777, 0o600);
  const configured = randomBytes(32);
  const retired = randomBytes(32);
  const keys = load(
    "production",
    `connector.encryption_key=${configured.toString("base64")}`,
    "connector.encryption_key_id=k2",
    `connector.rotation_keys=k1=${retired.toString("base64")}`,
  )!;
  t.is(keys.activeId, "k2");
  t.deepEqual(keys.byId.get("k2"), configured);
  t.deepEqual(keys.byId.get("k1"), retired);
});

test("given a key file that is gone or changed in any character, the start is refused and no key is made in its place", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "switchyard.keys-"));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const set = [`storage.dir=${dir}`];
  const load = (...more: string[]) =>
    loadKeys(loadConfig({ profile: "dev", environment: {}, set: [...set, ...more] }).config, "dev");
  const [file, sum] = [join(dir, "encryption.key"), join(dir, "encryption.key.sha256")];
  const made = load();
  const text = readFileSync(file, "utf8");

  const changed = Array.from(
    text,
    (one, at) => text.slice(0, at) + (one === "A" ? "B" : "A") + text.slice(at + 1),
  );
  for (const corrupt of [...changed, "", "not a key", text.slice(4), text + text]) {
    writeFileSync(file, corrupt);
    const error = t.throws(
      () => load(),
      { message: /encryption\.key is corrupt: .*put the file back/ },
      corrupt,
    );
    t.false(error.message.includes(text.slice(0, 8)), "the key is not in the message");
    t.is(readFileSync(file, "utf8"), corrupt);
  }

  rmSync(file);
  for (let start = 0; start < 2; start++)
    t.throws(() => load(), { message: /encryption\.key is missing\. .*or set connector\.encryption_key/ });
  t.truthy(load(`connector.encryption_key=${randomBytes(32).toString("base64")}`), "another key can be set");
  writeFileSync(file, `${text}\n`);
  t.deepEqual(load(), made);

  // A start that was killed between the two files.
  rmSync(sum);
  t.deepEqual(load(), made);
  rmSync(file);
  t.throws(() => load(), { message: /is missing/ });
  rmSync(sum);
  t.notDeepEqual(load(), made);
});
