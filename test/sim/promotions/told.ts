/** The answers that the callers of one run got, and what must therefore hold in the end. */
export interface Told {
  readonly pools: { readonly id: string; readonly environment: string }[];
  readonly candidates: Set<string>;
  /**
   * New evidence was acknowledged before a promotion was requested: approvals of these packs' digests must not count.
   */
  readonly voided: { readonly candidateId: string; readonly packDigest: string }[];
  readonly runs: { readonly id: string; readonly packId: string; readonly environment: string }[];
  acknowledged: number;
}

export function nothingTold(): Told {
  return { pools: [], candidates: new Set(), voided: [], runs: [], acknowledged: 0 };
}

/** Final states of a candidate. */
export const over: readonly unknown[] = ["promoted", "failed", "rejected", "rolled_back", "aborted"];
