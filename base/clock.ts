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

let lastMs = Number.NaN;
let lastText = "";

/** Most answers of a millisecond show that millisecond: it is written once. */
export function toRfc3339(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
