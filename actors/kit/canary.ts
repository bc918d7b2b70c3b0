import { hash32, hashPrefix } from "#base";

/** Which keys a canary decides, over time. */
export interface CanaryShares {
  readonly candidateId: string;
  /** From which millisecond on which share holds, in order. A share of 0: it has stopped. */
  readonly shares: readonly CanaryShare[];
}

export type CanaryShare = readonly [fromMs: number, bps: number];

export type Variant = "canary" | "stable";

/** Of 10,000 keys, the number of one. Salted with the candidate, so that other keys go first with every candidate. */
export function bucketOf(candidateId: string, key: string): number {
  const salt = hashPrefix("\0", hashPrefix(candidateId));
  return Math.floor((hash32(key, salt) * 10_000) / 2 ** 32);
}

/**
 * Which variant decides, or decided, what came at this time: a function of key and time, so that no row stores it. A larger share
 * only adds keys. `undefined` before the start and after the stop; without a key: stable.
 */
export function variantOf(
  { candidateId, shares }: CanaryShares,
  key: string,
  atMs: number,
): Variant | undefined {
  const bps = shareAt(shares, atMs);
  if (bps === 0) return undefined;
  return key !== "" && bucketOf(candidateId, key) < bps ? "canary" : "stable";
}

function shareAt(shares: readonly CanaryShare[], atMs: number): number {
  for (let index = shares.length - 1; index >= 0; index--) {
    const [fromMs, bps] = shares[index]!;
    if (fromMs <= atMs) return bps;
  }
  return 0;
}

/** What is counted of each variant, in the order of the stored counters. */
export const measures = [
  "decisions",
  "unroutable",
  "rejected",
  "redirected",
  "condition_error",
  "fault",
  "attempts",
  "attempt_failure",
  "ended",
  "dead",
  "outcomes",
  "outcome_failure",
  "timed",
  "slow",
] as const;
export type Measure = (typeof measures)[number];

/** One or more measures of one variant as a number: what events carry. */
export function codeOf(variant: Variant, ...counted: readonly Measure[]): number {
  let code = variant === "canary" ? 1 : 0;
  for (const measure of counted) code |= 2 << measures.indexOf(measure);
  return code;
}

/** Of one variant, by the order of `measures`. */
type VariantCounts = readonly number[];

export interface CanaryCounts {
  readonly candidateId: string;
  readonly canary: VariantCounts;
  readonly stable: VariantCounts;
}

export function noCounts(candidateId: string): CanaryCounts {
  return { candidateId, canary: measures.map(() => 0), stable: measures.map(() => 0) };
}

/** Edits the counts that it is given: they belong to one state. */
export function addCounts(counts: CanaryCounts, code: number, times: number): void {
  const variant = ((code & 1) === 1 ? counts.canary : counts.stable) as number[];
  for (let index = 0; index < measures.length; index++)
    if ((code & (2 << index)) !== 0) variant[index]! += times;
}
