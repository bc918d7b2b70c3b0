import test from "ava";
import { limits } from "#base";
import { EntityDriver } from "../../test/support/entity.ts";
import { modules } from "../../test/support/module-parts.ts";
import { decryptFor, encryptFor } from "./handlers/cipher.ts";
import { secretHashOf, sessionCookieIn, sessionCookieOf } from "./handlers/cookie.ts";
import { returnPathOf } from "./handlers/login.ts";
import { encryptCredential, type SessionCredential } from "./handlers/open.ts";
import { isOwnPage, placeOf } from "./handlers/place.ts";
import {
  awaitRefresh,
  endAllSessions,
  endSession,
  leaseRefresh,
  type NewSession,
  openSession,
  refreshed,
  refreshFailed,
  sessionAddress,
  sessionListOf,
  startSession,
} from "./record.ts";

const tenant = "0000000000000000000000000A";
const principal = { tenant, principalKind: "oidc", subject: "anna" } as const;

const hour = 3_600_000;

function start() {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  let made = 0;
  const of = (id: string, { name }: { readonly name: string }, request: object = {}) =>
    driver.ask(sessionAddress(id), name, request);
  const begin = (more: Partial<NewSession> = {}) => {
    const id = `01ARZ3NDEKTSV4RRFFQ69G5F${String(made++).padStart(2, "0")}`;
    const expiresAt = driver.now + 8 * hour;
    of(id, startSession, {
      ...principal,
      id,
      credential: "c1",
      secretHash: "h",
      expiresAt,
      idleMs: hour,
      ...more,
    });
    return id;
  };
  const reasons = () =>
    driver.published
      .filter(({ kind }) => kind === "console_session.ended")
      .map(({ payload }) => (payload as { reason: string }).reason);
  return { driver, of, begin, reasons };
}

test("invariant 2: a session that was ended opens no more, keeps nothing that opens its credential, and is forgotten an hour later", (t) => {
  const { driver, of, begin, reasons } = start();
  const id = begin();
  t.like(of(id, openSession), { state: "active", credential: "c1", subject: "anna" });
  of(id, endSession, { why: "signed_out" });
  of(id, endSession, { why: "refused" });
  t.like(of(id, openSession), { code: "NOT_FOUND" });
  t.deepEqual(reasons(), ["signed_out"]);
  const kept = () => driver.rows(sessionAddress(id), "session").get([]);
  t.like(kept(), { state: "ended", credential: "", secretHash: "" });
  driver.advance(limits.consoleSessionEndedKeptMs);
  t.falsy(kept());
  t.deepEqual(driver.rowsOf(tenant), []);
});

test("a session ends when it was not used for its idle time, and at the end of its life however much it is used", (t) => {
  const { driver, of, begin, reasons } = start();
  const idle = begin();
  const used = begin();
  for (let minutes = 0; minutes < 8 * 60; minutes += 30) {
    t.like(of(used, openSession), { state: "active" });
    driver.advance(hour / 2);
  }
  t.like(of(idle, openSession), { code: "NOT_FOUND" });
  t.like(of(used, openSession), { code: "NOT_FOUND" });
  t.deepEqual(reasons(), ["idle", "expired"]);
});

test("uses within a minute are written once", (t) => {
  const { driver, of, begin } = start();
  const id = begin();
  const seen = () => (of(id, openSession) as { lastSeenAt: number }).lastSeenAt;
  const first = seen();
  driver.now += limits.consoleSessionSeenEveryMs - 1;
  t.is(seen(), first);
  driver.now += 1;
  t.is(seen(), driver.now);
});

test("invariant 3: one thread at a time refreshes; who waits goes on when it has, and a spent credential is refreshed by none", (t) => {
  const { driver, of, begin } = start();
  const id = begin();
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "leased", lease: 1 });
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "wait" });
  const waited: unknown[] = [];
  const later = (answer: unknown) => void waited.push(answer);
  t.is(driver.ask(sessionAddress(id), awaitRefresh.name, {}, { later }), "parked");
  of(id, refreshed, { version: 1, credential: "c2" });
  t.deepEqual(waited, [{}]);
  t.like(of(id, openSession), { state: "active", credential: "c2", version: 2 });
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "newer" });
  of(id, refreshed, { version: 1, credential: "c0" });
  t.like(of(id, openSession), { credential: "c2" });
});

test("a thread that dies with the lease: another one gets it 15 seconds later, and what the first one sends then counts for nothing", (t) => {
  const { driver, of, begin } = start();
  const id = begin();
  of(id, leaseRefresh, { version: 1 });
  driver.advance(limits.consoleSessionLeaseMs);
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "later" });
  driver.advance(limits.consoleSessionRetryMs);
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "leased", lease: 2 });
  of(id, refreshFailed, { lease: 1, isOver: true });
  t.like(of(id, openSession), { state: "refreshing" });
});

test("a refresh that failed is tried again 5 seconds later; one that the issuer refused ends the session", (t) => {
  const { driver, of, begin, reasons } = start();
  const id = begin();
  of(id, leaseRefresh, { version: 1 });
  of(id, refreshFailed, { lease: 1, isOver: false });
  t.like(of(id, openSession), { state: "active", credential: "c1" });
  t.deepEqual(of(id, leaseRefresh, { version: 1 }), { type: "later" });
  driver.advance(limits.consoleSessionRetryMs);
  of(id, leaseRefresh, { version: 1 });
  of(id, refreshFailed, { lease: 2, isOver: true });
  t.like(of(id, openSession), { code: "NOT_FOUND" });
  t.deepEqual(reasons(), ["refused"]);
});

test("invariant 5: the oldest session of a principal ends when it begins one too many; another principal's stay", (t) => {
  const { driver, of, begin, reasons } = start();
  const other = begin({ subject: "bert" });
  const ids = Array.from({ length: limits.consoleSessionsMax + 2 }, () => {
    driver.now += 1;
    return begin();
  });
  const open = ids.filter((id) => !("code" in (of(id, openSession) as object)));
  t.deepEqual(open, ids.slice(2));
  t.deepEqual(reasons(), ["replaced", "replaced"]);
  t.like(of(other, openSession), { subject: "bert" });
});

test("signing out everywhere ends all sessions of the principal before it is answered", (t) => {
  const { driver, of, begin } = start();
  const [first, second, other] = [begin(), begin(), begin({ principalKind: "api_key" })];
  t.deepEqual(driver.ask(sessionListOf(principal), endAllSessions.name, {}), { ended: 2 });
  t.deepEqual(driver.ask(sessionListOf(principal), endAllSessions.name, {}), { ended: 0 });
  for (const id of [first, second]) t.like(of(id, openSession), { code: "NOT_FOUND" });
  t.like(of(other, openSession), { state: "active" });
  const events = driver.published.map(({ kind, payload }) => [kind, (payload as object) ?? {}]);
  t.deepEqual(events.at(-1), [
    "console_session.ended",
    { principal_kind: "oidc", subject: "anna", reason: "signed_out" },
  ]);
});

test("what is read from rows again is the same", (t) => {
  const { driver, of, begin } = start();
  const id = begin();
  of(id, leaseRefresh, { version: 1 });
  const before = of(id, openSession);
  driver.restart();
  t.deepEqual(of(id, openSession), before);
  t.deepEqual(driver.ask(sessionListOf(principal), endAllSessions.name, {}), { ended: 1 });
});

test("invariant 1: a credential opens with its cookie only, for its session only", (t) => {
  const secret = Buffer.alloc(32, 1);
  const credential: SessionCredential = { kind: "api_key", key: "sy_a-key" };
  const encrypted = encryptCredential({ id: "A", secret }, credential);
  const open = (id: string, by: Buffer) => decryptFor(`console_session ${id}`, by, encrypted);
  t.deepEqual(open("A", secret), credential);
  t.is(open("B", secret), undefined);
  t.is(open("A", Buffer.alloc(32, 2)), undefined);
  t.is(open("A", Buffer.from(secretHashOf(secret), "base64url")), undefined);
  const changed = Buffer.from(encrypted, "base64url");
  changed[changed.length - 1]! ^= 1;
  t.is(decryptFor("console_session A", secret, changed.toString("base64url")), undefined);
  for (const text of ["", "AAAA", encrypted.slice(0, 30)]) t.is(decryptFor("x", secret, text), undefined);
  t.not(encryptFor("x", secret, credential), encryptFor("x", secret, credential));
});

interface From {
  readonly headers?: Record<string, string>;
  readonly remoteAddress?: string;
  readonly isEncrypted?: boolean;
  readonly publicUrl?: string;
}

function visit({ headers = {}, remoteAddress = "127.0.0.1", isEncrypted = false, publicUrl = "" }: From) {
  const all: Record<string, string> = { host: "127.0.0.1:8080", ...headers };
  return { remoteAddress, isEncrypted, publicUrl, headers: { get: (name: string) => all[name] } };
}

test("a sign-in is safe by an https public_url, by TLS that ends here, or on this very machine, and nowhere else", (t) => {
  const far = { remoteAddress: "192.0.2.1", headers: { host: "sy.example.com" } };
  const publicUrl = "https://sy.example.com/base";
  t.deepEqual(placeOf(visit({ ...far, publicUrl })), { base: publicUrl, isSecure: true });
  const ours = { base: "https://sy.example.com", isSecure: true };
  t.deepEqual(placeOf(visit({ ...far, isEncrypted: true })), ours);
  t.deepEqual(placeOf(visit({})), { base: "http://127.0.0.1:8080", isSecure: false });
  t.deepEqual(placeOf(visit({ headers: { host: "localhost" } })), {
    base: "http://localhost",
    isSecure: false,
  });
  t.is(placeOf(visit(far)), undefined);
  t.is(placeOf(visit({ ...far, publicUrl: "http://sy.example.com" })), undefined);
  // A proxy on this machine: its browser may be anywhere.
  t.is(placeOf(visit({ headers: { host: "sy.example.com" } })), undefined);
  t.is(placeOf(visit({ remoteAddress: "192.0.2.1" })), undefined);
});

const origins: readonly (readonly [name: string, from: From, own: boolean])[] = [
  ["no word of a page", {}, false],
  ["its own origin", { headers: { origin: "http://127.0.0.1:8080" } }, true],
  ["its own origin, and says so twice", own("same-origin", "http://127.0.0.1:8080"), true],
  ["a read of the same origin, which names none", own("same-origin"), true],
  ["another origin", own("cross-site", "https://evil.example"), false],
  ["another port", { headers: { origin: "http://127.0.0.1:9090" } }, false],
  ["another origin that says it is the same", own("same-origin", "https://evil.example"), false],
  ["its own origin, from another site", own("cross-site", "http://127.0.0.1:8080"), false],
  ["a sibling site", own("same-site"), false],
  ["a typed address", own("none"), false],
  ["a page without an origin", { headers: { origin: "null" } }, false],
  ["public_url behind a proxy", behind("https://sy.example.com"), true],
  ["public_url without TLS", behind("http://sy.example.com"), false],
];

function own(site: string, origin?: string): From {
  return { headers: { "sec-fetch-site": site, ...(origin !== undefined && { origin }) } };
}

function behind(origin: string): From {
  return { publicUrl: "https://sy.example.com/base", headers: { host: "10.0.0.7:8080", origin } };
}

for (const [name, from, expected] of origins)
  test(`a request with ${name} is ${expected ? "" : "not "}of a page of ours`, (t) => {
    t.is(isOwnPage(visit(from)), expected);
  });

test("the cookie of a session has the __Host- prefix and is Secure, but on this very machine; elsewhere no other is read", (t) => {
  const cookie = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", secret: Buffer.alloc(32, 7) };
  const value = `${cookie.id}.${cookie.secret.toString("base64url")}`;
  const attributes = "Path=/; HttpOnly; SameSite=Strict; Max-Age=60";
  const secure = { base: "", isSecure: true };
  t.is(sessionCookieOf(cookie, secure, 60), `__Host-sy_session=${value}; ${attributes}; Secure`);
  t.is(sessionCookieOf(cookie, { ...secure, isSecure: false }, 60), `sy_session=${value}; ${attributes}`);
  const read = (text: string, host = "127.0.0.1:8080") =>
    sessionCookieIn(visit({ headers: { host, cookie: text } }));
  t.deepEqual(read(`a=b; sy_session=${value}`), cookie);
  t.deepEqual(read(`__Host-sy_session=${value}`, "sy.example.com"), cookie);
  t.is(read(`sy_session=${value}`, "sy.example.com"), undefined);
  for (const bad of ["", "x", `${value}.x`, value.slice(0, -4), `no-ulid.${value.split(".")[1]}`])
    t.is(read(`sy_session=${bad}`), undefined, bad);
});

test("a sign-in leads back to a page of the console, and to no other", (t) => {
  for (const path of ["/workspaces", "/workspaces/", "/workspaces/acme/pools?x=1#y", "/workspaces?x"])
    t.is(returnPathOf(path), path);
  for (const path of [
    "",
    "/",
    "//evil.example/workspaces",
    "https://evil.example/workspaces",
    "/workspacesx",
    "/workspaces/../api",
    "/workspaces/%2e%2e/api",
    "/workspaces\\..\\x",
    "/workspaces/\r\nset-cookie: a=b",
    `/workspaces/${"x".repeat(limits.signInPathLengthMax)}`,
  ])
    t.is(returnPathOf(path), "/workspaces", path);
});
