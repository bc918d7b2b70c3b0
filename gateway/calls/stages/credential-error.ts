import { RefusalError, refuse, toFault } from "#base";

export type CredentialKind = "api_key" | "bearer" | "session" | "certificate" | "anonymous" | "none";

/**
 * Why credentials were refused, for metrics and logs. Keys that are unknown, wrong, expired or revoked are all `invalid`:
 * /metrics needs no credentials, and must not tell which keys there are.
 */
export type CredentialReason =
  | "missing"
  | "two_kinds"
  | "not_accepted"
  | "malformed"
  | "invalid"
  | "expired"
  | "unmapped"
  | "limited"
  | "unavailable"
  | "failed";

/** A refusal of credentials; the caller is told the detail, the operator the reason. */
export class CredentialError extends RefusalError {
  readonly why: CredentialReason;
  constructor(
    why: CredentialReason,
    detail: string,
    code: "UNAUTHENTICATED" | "PERMISSION_DENIED" = "UNAUTHENTICATED",
  ) {
    super(refuse(code, detail));
    this.why = why;
  }
}

export function reasonOf(thrown: unknown): CredentialReason {
  if (thrown instanceof CredentialError) return thrown.why;
  const fault = toFault(thrown);
  if (!("refusal" in fault)) return "failed";
  switch (fault.refusal.code) {
    case "RATE_LIMITED":
      return "limited";
    case "UNAVAILABLE":
      return "unavailable";
    default:
      return "invalid";
  }
}
