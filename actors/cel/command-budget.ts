import { isRefusal, limits, refuse } from "#base";
import type { Answer } from "#runtime";

/** Steps left for all entries of one command: their expressions, and what else grows with a pool. */
export interface CommandBudget {
  steps: number;
}

export function fullBudget(): CommandBudget {
  return { steps: limits.commandStepsMax };
}

/**
 * An entry that comes after the budget is empty is left for the next command. The first one always runs: by itself it is
 * bounded.
 */
export function isSpent({ steps }: CommandBudget): boolean {
  return steps <= 0;
}

/** What was taken out, for the step of the thread. */
export function spentOf({ steps }: CommandBudget): number {
  return limits.commandStepsMax - steps;
}

/** A pool that came back may have 200 conditions to parse, 20 ms each at worst; no one command does that. */
export const unreadConditions = refuse("UNAVAILABLE", "the pool's conditions are still being read", {
  reason: "CONDITIONS",
  retryAfterMs: limits.retryAfterMs,
});

/** Ask again: the next command goes on where this one ended. */
export function isUnread(answer: Answer): boolean {
  return isRefusal(answer) && answer.reason === unreadConditions.reason;
}
