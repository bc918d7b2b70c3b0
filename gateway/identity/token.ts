import { isObject, limits } from "#base";
import { CredentialError, type CredentialReason } from "../calls/stages/credential-error.ts";
import { parseJson } from "../http/rest/json.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** A signed token taken apart; nothing of it is verified yet. */
export interface ReadToken {
  readonly header: Claims;
  readonly claims: Claims;
}

/**
 * What a token must be before anybody looks at its signature: short, of three parts, JSON without duplicate members, of an
 * algorithm that is taken, and without extensions that the signature depends on (`crit`, `b64`).
 */
export function readToken(token: string, algorithms: readonly string[]): ReadToken {
  if (token.length > limits.tokenLengthMax) throw malformed("it is too long");
  const parts = token.split(".");
  if (parts.length !== 3 || !parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part)))
    throw malformed("it is not a signed JWT");
  const header = partOf(parts[0]!);
  const claims = partOf(parts[1]!);
  if (typeof header.alg !== "string" || !algorithms.includes(header.alg))
    throw malformed(`its algorithm must be ${algorithms.join(", ")}`);
  if (header.crit !== undefined || header.b64 !== undefined)
    throw malformed("it asks for an extension that is not known here");
  if (
    header.kid !== undefined &&
    (typeof header.kid !== "string" || header.kid.length > limits.keyIdLengthMax)
  )
    throw malformed("its key id cannot be one");
  return { header, claims };
}

/** `exp` is checked by who verifies the signature; these are left to us. */
export function checkTimes(claims: Claims, nowMs: number): void {
  const { exp, iat } = claims;
  if (typeof exp !== "number") throw notValid("it has no expiry");
  if (iat !== undefined && (typeof iat !== "number" || iat * 1_000 > nowMs + limits.tokenClockToleranceMs))
    throw notValid("it was issued in the future");
}

/** When a token ends that was verified before. */
export function endOf(token: string): number {
  const { exp } = partOf(token.split(".")[1] ?? "");
  return typeof exp === "number" ? exp * 1_000 : Number.POSITIVE_INFINITY;
}

/** Array, or text with spaces. */
export function namesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((name) => name !== "");
  return Array.isArray(claim) ? claim.filter((name) => typeof name === "string") : [];
}

export function notValid(why: string, reason: CredentialReason = "invalid"): CredentialError {
  return new CredentialError(reason, `the bearer token is not valid: ${why}`);
}

function malformed(why: string): CredentialError {
  return notValid(why, "malformed");
}

function partOf(part: string): Claims {
  try {
    const value = parseJson(Buffer.from(part, "base64url"));
    if (isObject(value)) return value as Claims;
  } catch {
    // Told below, like a part that is no object.
  }
  throw malformed("its header and claims must be JSON objects");
}
