import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { type Refusal, refuse } from "./refusal.ts";

/** `sha256:` and hex over the RFC 8785 bytes of a value: the one digest of everything that is compared by content. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalText(value)).digest("hex")}`;
}

/**
 * RFC 8785. Members that are `undefined` are left out. Throws for what has no canonical form: ask `uncanonical` first where a
 * caller wrote the value.
 */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("this value has no canonical form");
  return text;
}

/**
 * Why a caller's value has no digest: half of a surrogate pair cannot be written as UTF-8, and parsers disagree about integers
 * beyond 2^53. `field` is the path of the value.
 */
export function uncanonical(value: unknown, field: string): Refusal | undefined {
  const reason = problemOf(value);
  if (reason !== undefined)
    return refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${field}[${name}]` : `${field}.${name}`;
    if (!name.isWellFormed()) return uncanonical(name, field);
    const found = uncanonical(member, path);
    if (found) return found;
  }
  return undefined;
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === "string" && !value.isWellFormed()) return "has a lone surrogate";
  if (typeof value !== "number") return undefined;
  if (!Number.isFinite(value)) return "is not a finite number";
  const unsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
  return unsafe ? "is an integer beyond 2^53 - 1: send it as a string" : undefined;
}
