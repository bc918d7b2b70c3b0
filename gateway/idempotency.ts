import { createHash } from "node:crypto";
import type { IdempotencyRef } from "#runtime";
import type { Call } from "./call.ts";

/** What makes a retried request the same request; absent when the caller sent no key or the method takes none. */
export function idempotencyOf(call: Call, message: unknown): IdempotencyRef | undefined {
  if (!call.method.idempotent) return undefined;
  const key = call.headers.get("idempotency-key");
  if (key === undefined) return undefined;
  return {
    scope: JSON.stringify([call.tenant, call.principal?.subject, call.method.name, key]),
    fingerprint: fingerprintOf(message),
  };
}

/** Of the message, not of its bytes: another order of members, or another door, is no other request. */
function fingerprintOf(message: unknown): string {
  return createHash("sha256").update(JSON.stringify(message, inOrder)).digest("base64url");
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, members[name]]),
  );
}
