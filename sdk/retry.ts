import { pause, systemClock } from "./clock.ts";
import { SwitchyardError } from "./errors.ts";

export interface RetryRule {
  /** The request changes nothing, or has a key or a token: a second one does no harm. */
  readonly isRepeatable: boolean;
  readonly retries: number;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The one retry rule: what may succeed later is repeated, with growing pauses, within the deadline. */
export async function repeated<T>(attempt: () => Promise<T>, rule: RetryRule): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const mayRepeat = rule.isRepeatable && tries < rule.retries && !rule.signal?.aborted;
      if (!mayRepeat || !(error instanceof SwitchyardError) || !error.retryable) throw error;
      const ms = pauseMs(tries, error.retryAfterMs, Math.random);
      if (systemClock.now() + ms >= rule.deadlineMs) throw error;
      await pause(systemClock, ms, rule.signal);
    }
  }
}

/** The same however often it takes, for tasks that outlive their server. */
export function persistently<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal | undefined,
  deadlineMs = Number.POSITIVE_INFINITY,
): Promise<T> {
  return repeated(attempt, { isRepeatable: true, retries: Number.POSITIVE_INFINITY, deadlineMs, signal });
}

const firstMs = 100;
const longestMs = 5_000;

/** What the server asks for, else full jitter under a bound that doubles. */
export function pauseMs(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  return retryAfterMs || random() * Math.min(longestMs, firstMs * 2 ** tries);
}
