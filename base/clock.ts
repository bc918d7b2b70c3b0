/** Wall time for records, monotonic time for durations. Everything that tells time takes one of these. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export function toRfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
