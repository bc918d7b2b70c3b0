import { limits, type Refusal, refuse } from "#base";

/** Steps left for all expressions of one command: what a batch asks for holds its thread. */
export interface CelPurse {
  steps: number;
}

export function fullPurse(): CelPurse {
  return { steps: limits.celCommandStepsMax };
}

/**
 * An entry that comes after the purse is empty is refused before any expression sees it: a rule that was given no steps would
 * not match, and a rule may be there to keep things out. Alone, or with fewer beside it, the entry has steps enough.
 */
export function spent({ steps }: CelPurse): Refusal | undefined {
  return steps > 0 ? undefined : tooManySteps;
}

const tooManySteps = refuse(
  "RATE_LIMITED",
  `the pool's conditions and keys took more than ${limits.celCommandStepsMax} steps for the entries before this one; send fewer at a time`,
  { reason: "EXPRESSIONS", retryAfterMs: limits.retryAfterMs },
);
