import type { TuplePart } from "#base";

/** Which row the next step begins after, and when; only in memory: a restart begins again. */
export interface SweepPosition {
  readonly part: SweptPart;
  readonly after: readonly TuplePart[] | null;
  readonly at: number;
}

export const sweptParts = ["flow", "group", "cleared"] as const;
export type SweptPart = (typeof sweptParts)[number];

export const sweepStart: SweepPosition = { part: "flow", after: null, at: 0 };

export interface Swept {
  readonly type: "swept";
  readonly part: SweptPart;
  readonly keys: readonly (readonly TuplePart[])[];
  readonly next: SweepPosition;
}
