import test from "ava";
import type { ApiKeyRecord, KeyHasher } from "#actors";
import { limits, type RefusalError, refuse } from "#base";
import { askerOf } from "../../test/support/asker.ts";
import type { Call, Principal } from "../calls/call.ts";
import { ApiKeys } from "./api-keys.ts";
import { sourceOf } from "./bad-keys.ts";
import { createKeyHasher } from "./key-hasher.ts";

const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const secret = "s".repeat(43);
const credential = `sy_${id}_${secret}`;
const call = { requestId: "r", deadlineMs: 0, remoteAddress: "192.0.2.1" } as Call;

/** Keys over one record that a test changes, with a clock and a hasher that the test sees. */
function keysOf(changed: Partial<ApiKeyRecord> = {}) {
  const record = { ...good, ...changed };
  const seen = { now: 1_000_000, looks: 0, uses: 0, hashes: 0, record: record as ApiKeyRecord | undefined };
  let hold: Promise<void> | undefined;
  const hasher: KeyHasher = {
    drawSecret: () => secret,
    hash: async () => "",
    async verify(given, hash) {
      seen.hashes++;
      await hold;
      return given === secret && hash === "hash";
    },
  };
  const asker = askerOf(({ method }) => {
    if (method === "api_key.Use") seen.uses++;
    else seen.looks++;
    return seen.record === undefined
      ? refuse("NOT_FOUND", "there is no such API key")
      : { response: seen.record, replayed: false };
  });
  const clock = { now: () => seen.now, monotonic: () => seen.now };
  const keys = new ApiKeys({ asker, hasher, clock });
  return {
    seen,
    keys,
    authenticate: async (given = credential) => keys.authenticate(given, call),
    hold: () => {
      let release!: () => void;
      hold = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

const good: ApiKeyRecord = {
  id,
  tenant: "t",
  name: "k",
  roles: ["viewer"],
  scopes: [],
  environmentMode: "production_only",
  hash: "hash",
  createdAt: 0,
  updatedAt: 0,
  recordVersion: 1,
  createdBy: "anna",
  owner: "anna",
};

async function refusedWith(t: { fail(): void }, work: Promise<Principal>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as RefusalError).refusal.code;
  }
  t.fail();
  return "";
}

test("a key is hashed once; after a minute its record is read again, and the use is told", async (t) => {
  const { seen, authenticate } = keysOf();
  const principal = await authenticate();
  t.like(principal, { kind: "api_key", tenant: "t", owner: "anna", environmentMode: "production_only" });
  t.is(principal.scopes, undefined);
  for (let i = 0; i < 10; i++) t.is(await authenticate(), principal);
  t.like(seen, { hashes: 1, looks: 1, uses: 1 });
  seen.now += limits.apiKeyVerifiedMs;
  await authenticate();
  t.like(seen, { hashes: 1, looks: 2, uses: 2 });
});

test("calls with one new key at the same time wait for one hash", async (t) => {
  const { seen, authenticate } = keysOf();
  const all = await Promise.all(Array.from({ length: 100 }, () => authenticate()));
  t.is(new Set(all).size, 1);
  t.like(seen, { hashes: 1, looks: 1 });
});

test("a key expires at its time, also while it is remembered", async (t) => {
  const { seen, authenticate } = keysOf({ expiresAt: 1_010_000 });
  await authenticate();
  seen.now += 9_999;
  await authenticate();
  seen.now += 1;
  t.is(await refusedWith(t, authenticate()), "UNAUTHENTICATED");
});

test("a revocation that is heard is obeyed at once; one that is not, within a minute", async (t) => {
  const heard = keysOf();
  await heard.authenticate();
  heard.seen.record = { ...good, revokedAt: 1 };
  await heard.authenticate();
  heard.keys.revoked(id);
  t.is(await refusedWith(t, heard.authenticate()), "UNAUTHENTICATED");
  const lost = keysOf();
  await lost.authenticate();
  lost.seen.record = { ...good, revokedAt: 1 };
  lost.seen.now += limits.apiKeyVerifiedMs;
  t.is(await refusedWith(t, lost.authenticate()), "UNAUTHENTICATED");
});

test("a revocation that is heard while the key is being verified counts", async (t) => {
  const { seen, keys, authenticate, hold } = keysOf();
  const release = hold();
  const verifying = authenticate();
  while (seen.hashes === 0) await new Promise((resolve) => setImmediate(resolve));
  keys.revoked(id);
  release();
  t.is(await refusedWith(t, verifying), "UNAUTHENTICATED");
});

test("an unknown id costs a look and a hash like a wrong secret does", async (t) => {
  const wrong = keysOf();
  t.is(await refusedWith(t, wrong.authenticate(`sy_${id}_${"x".repeat(43)}`)), "UNAUTHENTICATED");
  const unknown = keysOf();
  unknown.seen.record = undefined;
  t.is(await refusedWith(t, unknown.authenticate()), "UNAUTHENTICATED");
  t.like(wrong.seen, { looks: 1, hashes: 1, uses: 0 });
  t.like(unknown.seen, { looks: 1, hashes: 1, uses: 0 });
});

test("a source has so many bad keys and then waits; good ones cost it nothing", async (t) => {
  const { seen, authenticate } = keysOf();
  const bad = (i: number) => authenticate(`sy_${id}_${String(i).padStart(43, "0")}`);
  for (let i = 0; i < limits.badKeysAtOnce; i++) t.is(await refusedWith(t, bad(i)), "UNAUTHENTICATED");
  const { hashes } = seen;
  t.is(await refusedWith(t, bad(-1)), "RATE_LIMITED");
  t.is(seen.hashes, hashes);
  seen.now += 1_000 / limits.badKeysPerSecond;
  await authenticate();
  t.is(await refusedWith(t, bad(-2)), "UNAUTHENTICATED");
  t.is(await refusedWith(t, bad(-3)), "RATE_LIMITED");
});

test("a real hash takes its secret and no other, whatever its length; without a hash nothing matches", async (t) => {
  const hasher = createKeyHasher(4);
  const long = "a".repeat(100);
  const hash = await hasher.hash(`${long}1`);
  t.regex(hash, /^\$2b\$04\$/);
  t.true(await hasher.verify(`${long}1`, hash));
  t.false(await hasher.verify(`${long}2`, hash));
  t.false(await hasher.verify(`${long}1`, undefined));
  t.not(hasher.drawSecret(), hasher.drawSecret());
  t.is(Buffer.from(hasher.drawSecret(), "base64url").length, limits.apiKeySecretBytes);
});

test("more hashes than may wait are refused as unavailable, and those that wait are done", async (t) => {
  const hasher = createKeyHasher(4);
  const most = limits.keyHashesAtOnce + limits.keyHashesWaitingMax;
  const all = await Promise.allSettled(Array.from({ length: most + 5 }, () => hasher.hash(secret)));
  t.is(all.filter(({ status }) => status === "fulfilled").length, most);
  for (const one of all.slice(most))
    t.like((one as PromiseRejectedResult).reason, { refusal: { code: "UNAVAILABLE" } });
  t.regex(await hasher.hash(secret), /^\$2b/);
});

for (const [address, source] of [
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "::ffff:192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["::1", ":0:0:0"],
] as const)
  test(`the source of ${address} is ${source}`, (t) => {
    t.is(sourceOf(address), source);
  });
