import type { Refusal } from "#base";

/** What a refusal adds to the headers (gRPC: metadata) of its answer, on every door. */
export function refusalHeaders(refusal: Refusal): readonly (readonly [string, string])[] {
  if (refusal.code === "UNAUTHENTICATED") return challenge;
  const retryAfterMs = retryAfterMsOf(refusal);
  return retryAfterMs === undefined
    ? none
    : [["retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))]];
}

/** A quota ends at a time that stands in the answer; a repeat before it is pointless, however long one waits. */
export function retryAfterMsOf(refusal: Refusal): number | undefined {
  return refusal.code === "QUOTA_EXCEEDED" ? undefined : refusal.retryAfterMs;
}

const challenge = [["www-authenticate", 'Bearer realm="service"']] as const;
const none: readonly (readonly [string, string])[] = [];
