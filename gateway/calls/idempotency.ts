import { createHmac, hash } from "node:crypto";
import { assert } from "#base";
import type { IdempotencyRef } from "#runtime";
import type { Call } from "./call.ts";

/** What makes a retried request the same request; absent when the caller sent no key or the method takes none. */
export function idempotencyOf(call: Call, message: unknown): IdempotencyRef | undefined {
  if (!call.method.idempotent) return undefined;
  const key = call.headers.get("idempotency-key");
  if (key === undefined) return undefined;
  const ref = {
    scope: JSON.stringify([call.tenant, call.principal?.subject, call.method.name, key]),
    fingerprint: fingerprintOf(call, message),
  };
  const omit = call.method.replayOmitted;
  return omit === undefined ? ref : { ...ref, omit };
}

/** The fingerprint is stored: of a message with secrets it must not be one that guesses can be checked against. */
export function needsFingerprintKey({ method, headers }: Call): boolean {
  return method.acceptsSecrets && method.idempotent && headers.get("idempotency-key") !== undefined;
}

/**
 * Of the message, not of its bytes: another order of members, or another door, is no other request. The environment it names
 * is part of it: a pool made in one is no answer to who wants it in another.
 */
function fingerprintOf(call: Call, message: unknown): string {
  const text = (call.headers.get("x-environment") ?? "") + inOrder(message);
  if (!call.method.acceptsSecrets) return hash("sha256", text, "base64url");
  assert(call.fingerprintKey !== undefined, "the key of a fingerprint is fetched before it is made");
  return createHmac("sha256", call.fingerprintKey).update("fingerprint\0").update(text).digest("base64url");
}

/** As JSON with the members sorted. */
function inOrder(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${inOrder(item)}`;
    return `[${text}]`;
  }
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${inOrder(member)}`;
  return `{${text}}`;
}
