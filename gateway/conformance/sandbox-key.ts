import { createHmac, timingSafeEqual } from "node:crypto";
import { isUlid } from "#base";
import type { Principal } from "../calls/call.ts";

/**
 * The one key of a sandbox tenant. It says for which tenant and until when, under a MAC that only this process can make, so that every
 * thread of it takes the key and no other process does. Nothing of it is stored.
 */
const sandboxKeyPrefix = "swcf_";

export function makeSandboxKey(secret: Uint8Array, tenant: string, untilMs: number): string {
  return `${sandboxKeyPrefix}${tenant}.${untilMs}.${macOf(secret, tenant, untilMs)}`;
}

/** Only the administrator of that tenant; `undefined`: it is no such key, or was. */
export function sandboxPrincipal(secret: Uint8Array, key: string, nowMs: number): Principal | undefined {
  if (!key.startsWith(sandboxKeyPrefix)) return undefined;
  const [tenant = "", until = ""] = key.slice(sandboxKeyPrefix.length).split(".");
  const untilMs = Number(until);
  if (!isUlid(tenant) || !(nowMs < untilMs)) return undefined;
  const expected = Buffer.from(makeSandboxKey(secret, tenant, untilMs));
  const given = Buffer.from(key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return {
    kind: "api_key",
    subject: "conformance",
    tenant,
    roles: ["admin"],
    environmentMode: "any",
    expiresAtMs: untilMs,
  };
}

function macOf(secret: Uint8Array, tenant: string, untilMs: number): string {
  return createHmac("sha256", secret).update(`conformance ${tenant} ${untilMs}`).digest("base64url");
}
