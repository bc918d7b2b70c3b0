import test from "ava";
import { systemTenantId } from "#base";
import { makeSandboxKey, sandboxPrincipal } from "./sandbox-key.ts";

const secret = Buffer.alloc(32, 7);
const tenant = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
const untilMs = 1_700_000_900_000;

test("a sandbox key is the administrator of its own tenant until its time, and nobody afterwards", (t) => {
  const key = makeSandboxKey(secret, tenant, untilMs);
  t.like(sandboxPrincipal(secret, key, untilMs - 1), { tenant, roles: ["admin"], kind: "api_key" });
  t.is(sandboxPrincipal(secret, key, untilMs), undefined);
});

test("given a key with another tenant, a later time, another process's MAC or any character changed, then it opens nothing", (t) => {
  const key = makeSandboxKey(secret, tenant, untilMs);
  const opens = (given: string) => sandboxPrincipal(secret, given, untilMs - 1) !== undefined;
  t.true(opens(key));
  t.false(opens(key.replace(tenant, systemTenantId)));
  t.false(opens(key.replace(String(untilMs), String(untilMs + 1))));
  t.false(opens(makeSandboxKey(Buffer.alloc(32, 8), tenant, untilMs)));
  for (let at = 0; at < key.length; at++) {
    const other = key[at] === "1" ? "2" : "1";
    t.false(opens(`${key.slice(0, at)}${other}${key.slice(at + 1)}`), `character ${at}`);
  }
  for (const given of [
    "",
    "swcf_",
    "swcf_..",
    `swcf_${tenant}`,
    `swcf_${tenant}.${untilMs}.`,
    `${key}.x`,
    `${key}x`,
  ])
    t.false(opens(given), given);
});
