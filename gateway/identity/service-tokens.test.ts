import test from "ava";
import jwt from "jsonwebtoken";
import { type RefusalError, systemClock } from "#base";
import { testAccess } from "../../test/support/module-parts.ts";
import type { Call, Principal } from "../calls/call.ts";
import { makeServiceToken, serviceTokens } from "./service-tokens.ts";

const secret = "the secret in force, of 32 bytes or more";
const previous = "the secret before it, of 32 bytes or more";
const tenant = "0000000000000000000000000A";
const provider = serviceTokens([secret, previous], testAccess, systemClock);
const nowS = () => Math.floor(Date.now() / 1_000);
const claims = () => ({
  iss: "service",
  aud: "service-internal",
  sub: "job",
  iat: nowS(),
  exp: nowS() + 300,
});

const without = (name: "exp" | "iat") =>
  Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== name));
const authenticate = (token: string) => provider.authenticate(token, {} as Call) as Principal;

test("a token of the secret in force or of the one before names a platform principal, or one of a tenant", (t) => {
  for (const key of [secret, previous]) {
    const principal = authenticate(makeServiceToken({ secret: key, subject: "job" }));
    t.like(principal, { kind: "service", subject: "job", roles: ["service", "admin"] });
    t.is(principal.tenant, undefined);
    t.is(principal.scopes, undefined);
  }
  t.is(authenticate(makeServiceToken({ secret, subject: "job", tenant })).tenant, tenant);
});

test("a scope narrows a token to the scopes of the contract in it, to none of them too", (t) => {
  const scoped = (scope: unknown) => authenticate(jwt.sign({ ...claims(), scope }, secret));
  t.deepEqual(scoped("pool:read openid").scopes, ["pool:read"]);
  for (const none of ["openid profile", "pools:read", "", [], 7, null]) t.deepEqual(scoped(none).scopes, []);
});

for (const [what, token] of [
  ["of another secret", () => jwt.sign(claims(), "another secret of 32 bytes or more.")],
  ["of another issuer", () => jwt.sign({ ...claims(), iss: "Service" }, secret)],
  ["for another audience", () => jwt.sign({ ...claims(), aud: "service" }, secret)],
  ["without a subject", () => jwt.sign({ ...claims(), sub: "" }, secret)],
  ["that has expired", () => jwt.sign({ ...claims(), iat: nowS() - 400, exp: nowS() - 100 }, secret)],
  ["that lives too long", () => jwt.sign({ ...claims(), exp: nowS() + 301 }, secret)],
  ["without an expiry", () => jwt.sign(without("exp"), secret)],
  ["without the time of its issue", () => jwt.sign(without("iat"), secret, { noTimestamp: true })],
  ["of the future", () => jwt.sign({ ...claims(), iat: nowS() + 100, exp: nowS() + 200 }, secret)],
  ["of HS512", () => jwt.sign(claims(), secret, { algorithm: "HS512" })],
  ["of no algorithm", () => jwt.sign(claims(), "", { algorithm: "none" })],
  ["for a tenant that is none", () => jwt.sign({ ...claims(), tenant_id: "acme" }, secret)],
  ["with critical extensions", () => jwt.sign(claims(), secret, { header: { alg: "HS256", crit: ["x"] } })],
  ["that is no token", () => "a.b.c"],
  ["of 64 KB", () => `${"a".repeat(65_536)}.b.c`],
] as const)
  test(`a token ${what} is refused`, (t) => {
    const error = t.throws(() => authenticate(token())) as unknown as RefusalError;
    t.is(error.refusal.code, "UNAUTHENTICATED");
  });
