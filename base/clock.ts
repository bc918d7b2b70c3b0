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

let lastSecond = Number.NaN;
let lastPrefix = "";

/** Most times that are shown are of this second: all but its last digits are written once. */
export function toRfc3339(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1_000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  const rest = Math.floor(ms - second * 1_000);
  return `${lastPrefix}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
}
