import { createHmac } from "node:crypto";
import test, { type ExecutionContext } from "ava";
import { exportSPKI, importJWK } from "jose";
import { limits, type RefusalError } from "#base";
import { TestIssuer } from "../../test/support/issuer.ts";
import { testAccess } from "../../test/support/module-parts.ts";
import type { Call } from "../calls/call.ts";
import { createOutgoing } from "../egress/index.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { oidcTokens } from "./oidc.ts";

const audience = "https://api.example.com";
const tenant = "0000000000000000000000000A";
const nowS = Math.floor(Date.now() / 1_000);

async function start(t: ExecutionContext, allowedDomains = ["127.0.0.1"]) {
  const issuer = await new TestIssuer().open();
  const time = { passedMs: 0 };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() + time.passedMs };
  const outgoing = createOutgoing({ mode: "enforce", allowedDomains, allowedNetworks: [] });
  const logged: object[] = [];
  const log = { error: (fields: object) => void logged.push(fields), warn: () => {}, info: () => {} };
  const keys = new IssuerKeys({ issuer: issuer.url, outgoing, clock, log });
  const provider = oidcTokens({
    issuer: issuer.url,
    audience,
    tenantClaim: "tenant_id",
    keys,
    access: testAccess,
    clock,
  });
  t.teardown(async () => {
    await outgoing.close();
    await issuer.close();
  });
  const claims = {
    iss: issuer.url,
    aud: audience,
    sub: "otto",
    exp: nowS + 600,
    iat: nowS,
    tenant_id: tenant,
  };
  const authenticate = async (token: string) => provider.authenticate(token, {} as Call);
  const codeOf = async (token: string) => {
    try {
      await authenticate(token);
      return "OK";
    } catch (error) {
      return (error as RefusalError).refusal?.code ?? String(error);
    }
  };
  return { issuer, claims, authenticate, codeOf, time, logged };
}

for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
  test(`a token of ${algorithm} names its subject, tenant, roles and scopes of ours`, async (t) => {
    const { issuer, claims, authenticate } = await start(t);
    const sign = await issuer.addKey("k", algorithm);
    const scope = "openid pool:read profile";
    const principal = await authenticate(await sign({ ...claims, roles: ["viewer", "plumber"], scope }));
    t.deepEqual(principal, {
      kind: "user",
      subject: "otto",
      tenant,
      roles: ["viewer"],
      scopes: ["pool:read"],
      environmentMode: "any",
      expiresAtMs: claims.exp * 1_000,
    });
    const other = await authenticate(await sign({ ...claims, roles: "viewer operator", scp: ["openid"] }));
    t.deepEqual(other.roles, ["viewer", "operator"]);
    t.is(other.scopes, undefined);
    t.is((await authenticate(await sign({ ...claims, aud: ["other", audience] }))).subject, "otto");
  });

test("claims that are missing, wrong, early or late are refused", async (t) => {
  const { issuer, claims, codeOf } = await start(t);
  const sign = await issuer.addKey("k");
  const wrong: Record<string, unknown>[] = [
    { exp: nowS - 3_600 },
    { exp: undefined },
    { nbf: nowS + 3_600 },
    { iat: nowS + 3_600 },
    { iss: `${issuer.url}/` },
    { iss: issuer.url.toUpperCase() },
    { iss: "https://idp.other.example" },
    { iss: undefined },
    { aud: undefined },
    { aud: `${audience}/more` },
    { aud: ["other"] },
    { sub: undefined },
    { tenant_id: undefined },
    { tenant_id: "acme" },
    // An ID token.
    { nonce: "n" },
    { at_hash: "h" },
  ];
  for (const change of wrong)
    t.is(await codeOf(await sign({ ...claims, ...change })), "UNAUTHENTICATED", JSON.stringify(change));
  t.is(await codeOf(await sign({ ...claims, exp: nowS - 30 })), "OK", "clocks may differ by a minute");
});

test("a header that names another algorithm, a key of its own or an extension is refused or not looked at", async (t) => {
  const { issuer, claims, codeOf } = await start(t);
  const sign = await issuer.addKey("k", "RS256");
  const good = await sign(claims);
  const [, body, signature] = good.split(".") as [string, string, string];
  const headed = (header: object | string, end = signature) =>
    `${Buffer.from(typeof header === "string" ? header : JSON.stringify(header)).toString("base64url")}.${body}.${end}`;
  const [jwk] = issuer.keys;
  const pem = await exportSPKI((await importJWK(jwk!, "RS256")) as never);
  const symmetric = [pem, JSON.stringify(jwk), Buffer.from(pem.replace(/-.*-|\n/g, ""), "base64")].map(
    (key) => {
      const start = headed({ alg: "HS256", kid: "k" }, "").slice(0, -1);
      return `${start}.${createHmac("sha256", key).update(start).digest("base64url")}`;
    },
  );
  const bad = [
    ...["none", "None", "nOnE"].flatMap((alg) => [headed({ alg }), headed({ alg, kid: "k" }, "")]),
    ...symmetric,
    headed({ kid: "k" }),
    headed('{"alg":"RS256","alg":"none","kid":"k"}'),
    headed({ alg: ["RS256"], kid: "k" }),
    headed({ alg: "RS256", kid: "k", crit: ["exp"], exp: 1 }),
    headed({ alg: "RS256", kid: "k", b64: false, crit: ["b64"] }),
    headed({ alg: "RS256", kid: "k", typ: "id_token" }),
    `${good}.x.y`,
    `${good.slice(0, -4)}AAAA`,
    `${body}.${body}.${signature}`,
    "x".repeat(65_536),
  ];
  for (const token of bad) t.is(await codeOf(token), "UNAUTHENTICATED", token.slice(0, 120));
  const other = await new TestIssuer().open();
  t.teardown(() => other.close());
  const forge = await other.addKey("k", "RS256");
  const brought = { jwk: other.keys[0], jku: `${other.url}/keys`, x5u: `${other.url}/keys` };
  t.is(await codeOf(await forge(claims, brought)), "UNAUTHENTICATED");
  t.deepEqual(other.asked, []);
  t.is(await codeOf(good), "OK");
});

test("claims with a member twice are refused", async (t) => {
  const { issuer, claims, codeOf } = await start(t);
  await issuer.addKey("k");
  const twice = `${JSON.stringify(claims).slice(0, -1)},"tenant_id":"0000000000000000000000000B"}`;
  const head = Buffer.from('{"alg":"ES256","kid":"k"}').toString("base64url");
  const token = `${head}.${Buffer.from(twice).toString("base64url")}.${"A".repeat(86)}`;
  t.is(await codeOf(token), "UNAUTHENTICATED");
});

test("a signature of zeros is no signature", async (t) => {
  const { issuer, claims, codeOf } = await start(t);
  const sign = await issuer.addKey("k");
  const token = await sign(claims);
  t.is(await codeOf(`${token.slice(0, token.lastIndexOf("."))}.${"A".repeat(86)}`), "UNAUTHENTICATED");
});

test("many tokens with unknown key ids: the issuer is asked once per cool-down, and a new key is found after it", async (t) => {
  const { issuer, claims, codeOf, time } = await start(t);
  const first = await issuer.addKey("first");
  t.is(await codeOf(await first(claims)), "OK");
  t.is(issuer.asked.length, 2);
  const odd = ["../../etc/passwd", "' OR 1=1", "http://127.0.0.1/", "second"];
  for (const kid of odd) t.is(await codeOf(await first(claims, { kid })), "UNAUTHENTICATED", kid);
  t.is(await codeOf(await first(claims, { kid: "k".repeat(4_000) })), "UNAUTHENTICATED");
  t.is(issuer.asked.length, 2);
  const second = await issuer.addKey("second");
  t.is(await codeOf(await second(claims)), "UNAUTHENTICATED");
  time.passedMs += limits.issuerCoolDownMs;
  const codes = await Promise.all(Array.from({ length: 20 }, async () => codeOf(await second(claims))));
  t.deepEqual(new Set(codes), new Set(["OK"]));
  t.is(issuer.asked.length, 4);
});

test("a key that the issuer has removed is of no use after ten minutes", async (t) => {
  const { issuer, claims, codeOf, time } = await start(t);
  const sign = await issuer.addKey("k");
  const token = await sign(claims);
  t.is(await codeOf(token), "OK");
  issuer.keys = [];
  t.is(await codeOf(token), "OK");
  time.passedMs += limits.issuerKeysMs;
  t.is(await codeOf(token), "UNAUTHENTICATED");
});

test("an issuer that cannot be reached: known keys serve for an hour, then and without any it is unavailable", async (t) => {
  const { issuer, claims, codeOf, time, logged } = await start(t);
  const sign = await issuer.addKey("k");
  const token = await sign(claims);
  issuer.broken = { status: 500 };
  t.is(await codeOf(token), "UNAVAILABLE");
  t.is(await codeOf(token), "UNAVAILABLE");
  t.is(issuer.asked.length, 1);
  t.is(logged.length, 1);
  issuer.broken = undefined;
  time.passedMs += limits.issuerCoolDownMs;
  t.is(await codeOf(token), "OK");
  issuer.broken = { status: 503 };
  time.passedMs += limits.issuerKeysMs;
  t.is(await codeOf(token), "OK");
  time.passedMs += limits.issuerKeysMsMax;
  t.is(await codeOf(token), "UNAVAILABLE");
});

for (const [what, change] of [
  ["redirects", (issuer: TestIssuer) => (issuer.broken = { status: 302, location: "http://127.0.0.1:1/" })],
  ["calls itself by another name", (issuer: TestIssuer) => (issuer.discovered = { issuer: "https://other" })],
  [
    "has its keys behind plain HTTP",
    (issuer: TestIssuer) => (issuer.discovered = { jwks_uri: "http://keys.example/" }),
  ],
  [
    "has its keys in a private network",
    (issuer: TestIssuer) => (issuer.discovered = { jwks_uri: "https://10.0.0.1/" }),
  ],
] as const)
  test(`an issuer that ${what} is not believed`, async (t) => {
    const { issuer, claims, codeOf } = await start(t);
    const sign = await issuer.addKey("k");
    change(issuer);
    t.is(await codeOf(await sign(claims)), "UNAVAILABLE");
  });
