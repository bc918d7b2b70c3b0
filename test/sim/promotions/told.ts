/** What the callers of one run were told, and what they may therefore hold against the service in the end. */
export interface Told {
  readonly pools: { readonly id: string; readonly environment: string }[];
  readonly candidates: Set<string>;
  /** Evidence was acknowledged before anybody asked to promote: no approval of these packs' digests may still count. */
  readonly voided: { readonly candidateId: string; readonly packDigest: string }[];
  readonly runs: { readonly id: string; readonly packId: string; readonly environment: string }[];
  acknowledged: number;
}

export function nothingTold(): Told {
  return { pools: [], candidates: new Set(), voided: [], runs: [], acknowledged: 0 };
}

/** What a candidate can no longer become something else from. */
export const over: readonly unknown[] = ["promoted", "failed", "rejected", "rolled_back", "aborted"];
