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

const keptPrefixes = 64;
const keptSeconds = new Float64Array(keptPrefixes).fill(Number.NaN);
const prefixes: string[] = Array(keptPrefixes).fill("");

/** Most times that are shown are of this second, or of one that is a lease or a delay away: all but their last digits are written once. */
export function toRfc3339(ms: number): string {
  const second = Math.floor(ms / 1_000);
  const slot = second & (keptPrefixes - 1);
  if (second !== keptSeconds[slot]) {
    prefixes[slot] = new Date(second * 1_000).toISOString().slice(0, -4);
    keptSeconds[slot] = second;
  }
  const rest = Math.floor(ms - second * 1_000);
  return `${prefixes[slot]}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch; NaN where the text is no time of RFC 3339. */
export function fromRfc3339(text: string): number {
  if (!rfc3339.test(text) || !isDate(text)) return Number.NaN;
  return Date.parse(text.replace(/(\.\d{3})\d+/, "$1").toUpperCase());
}

/** JavaScript takes 30 February for 1 March, which no caller means. */
export function isDate(text: string): boolean {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  return year > 0 && day >= 1 && (day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate());
}
