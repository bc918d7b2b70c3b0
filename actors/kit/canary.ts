import { hash32, hashPrefix } from "#base";

/** Which keys a canary decides, over time. */
export interface CanaryShares {
  readonly candidateId: string;
  /** From which millisecond on which share holds, in order. A share of 0: it has stopped. */
  readonly shares: readonly CanaryShare[];
}

export type CanaryShare = readonly [fromMs: number, bps: number];

export type Side = "canary" | "stable";

/** Of 10,000 keys, the number of one. Salted with the candidate, so that other keys go first with every candidate. */
export function bucketOf(candidateId: string, key: string): number {
  const salt = hashPrefix("\0", hashPrefix(candidateId));
  return Math.floor((hash32(key, salt) * 10_000) / 2 ** 32);
}

/**
 * Which side decides, or decided, what came at this time: a function of key and time, so that no row stores it. A larger share
 * only adds keys. `undefined` before the start and after the stop; without a key: stable.
 */
export function sideOf({ candidateId, shares }: CanaryShares, key: string, atMs: number): Side | undefined {
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

/** What is counted on each side, in the order of the stored counters. */
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

/** One or more measures of one side as a number: what events carry. */
export function codeOf(side: Side, ...counted: readonly Measure[]): number {
  let code = side === "canary" ? 1 : 0;
  for (const measure of counted) code |= 2 << measures.indexOf(measure);
  return code;
}

/** Of one side, by the order of `measures`. */
type SideCounts = readonly number[];

export interface CanaryCounts {
  readonly candidateId: string;
  readonly canary: SideCounts;
  readonly stable: SideCounts;
}

export function noCounts(candidateId: string): CanaryCounts {
  return { candidateId, canary: measures.map(() => 0), stable: measures.map(() => 0) };
}

/** Edits the counts that it is given: they belong to one state. */
export function addCounts(counts: CanaryCounts, code: number, times: number): void {
  const side = ((code & 1) === 1 ? counts.canary : counts.stable) as number[];
  for (let index = 0; index < measures.length; index++)
    if ((code & (2 << index)) !== 0) side[index]! += times;
}
