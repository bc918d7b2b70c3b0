import { makeServiceToken } from "../../gateway/identity/service-tokens.ts";
import type { Server } from "../crash/server.ts";

const secret = "a secret for tests, of 32 bytes or more";

/** With these, callers need credentials. */
export const authSettings = [
  "auth.enabled=true",
  "auth.api_key_enabled=true",
  `internal.token_secret=${secret}`,
  "notification.dispatch.enabled=true",
];

/** Two tenants of a service: the attacker has keys of one, and the probes belong to the other. */
export async function makeKeys(server: Server): Promise<Record<"viewer" | "operator" | "other", string>> {
  const ask = async (path: string, body: object, tenant?: string) => {
    const response = await fetch(`${server.internalUrl}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${makeServiceToken({ secret, subject: "attacks" })}`,
        ...(tenant && { "x-tenant-id": tenant }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const parsed = JSON.parse(text) as { data?: Record<string, string> };
    return (parsed.data ?? parsed) as Record<string, string>;
  };
  const keyOf = async (tenant: string, role: string) =>
    (await ask("/api/v2/api-keys", { name: role, roles: [role] }, tenant)).secret!;
  const own = (await ask("/api/tenants", { name: "attacker" })).id!;
  const other = (await ask("/api/tenants", { name: "other" })).id!;
  return {
    viewer: await keyOf(own, "viewer"),
    operator: await keyOf(own, "operator"),
    other: await keyOf(other, "viewer"),
  };
}
