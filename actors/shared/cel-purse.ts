import { limits } from "#base";

/** Steps left for all entries of one command: their expressions, and what else grows with a pool. */
export interface CelPurse {
  steps: number;
}

export function fullPurse(): CelPurse {
  return { steps: limits.commandStepsMax };
}

/**
 * An entry that comes after the purse is empty is left for the next command. The first one always runs: by itself it is
 * bounded.
 */
export function isSpent({ steps }: CelPurse): boolean {
  return steps <= 0;
}

/** What was taken out, for the turn of the thread. */
export function spentOf({ steps }: CelPurse): number {
  return limits.commandStepsMax - steps;
}
