import { handleOf, limits, type Refusal, refuse } from "#base";
import type { IdempotencyRef } from "#runtime";

/** The pools that sent something on, first to last. */
export type Way = readonly string[];

export const straight: Way = [];

/**
 * The key of a request as a pool further on is asked with it, or for the entries of a batch from `start` on. Entries of one
 * batch may come to the same pool by different ways, and in several commands: each is a question of its own, and must not be
 * answered with what was stored for another.
 */
export function keyAlong(idempotency: IdempotencyRef, way: Way, start = 0): IdempotencyRef {
  if (way.length === 0 && start === 0) return idempotency;
  const along = way.length === 0 ? "" : `#${way.map(handleOf).join("")}`;
  return { ...idempotency, scope: `${idempotency.scope}${along}${start === 0 ? "" : `+${start}`}` };
}

export function tooManyHops(): Refusal {
  return refuse("FAILED_PRECONDITION", `rules redirect more than ${limits.redirectHopsMax} times`, {
    reason: "REDIRECT_LOOP",
  });
}

/** Of a pool that a rule redirects to: that it is not there is the fault of the rule, not of the caller. */
export function onward(refusal: Refusal, poolId: string): Refusal {
  if (refusal.code !== "NOT_FOUND") return refusal;
  return refuse("FAILED_PRECONDITION", `a rule redirects to pool ${poolId}, which does not exist`, {
    reason: "REDIRECT_TARGET_MISSING",
  });
}
