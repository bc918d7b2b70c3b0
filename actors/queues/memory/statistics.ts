/** Figures of a queue that no single item tells: average wait over five minutes, completions since UTC midnight. */
export interface Statistics {
  readonly day: number;
  readonly completedToday: number;
  /** Ring of half minutes: [number of the half minute, claims, sum of their waits]. */
  readonly waits: readonly (readonly [number, number, number])[];
}

const slotMs = 30_000;
const slotCount = 10;
const dayMs = 86_400_000;

export const noStatistics: Statistics = { day: 0, completedToday: 0, waits: [] };

export function countClaims(
  before: Statistics,
  now: number,
  claims: number,
  waitedMsTotal: number,
): Statistics {
  const slot = Math.floor(now / slotMs);
  const kept = before.waits.filter(([number]) => number > slot - slotCount && number !== slot);
  const same = before.waits.find(([number]) => number === slot);
  const waits = [...kept, [slot, (same?.[1] ?? 0) + claims, (same?.[2] ?? 0) + waitedMsTotal] as const];
  return { ...before, waits };
}

export function countCompletions(before: Statistics, now: number, completions: number): Statistics {
  const day = Math.floor(now / dayMs);
  const today = before.day === day ? before.completedToday : 0;
  return { ...before, day, completedToday: today + completions };
}

export function throughputToday(statistics: Statistics, now: number): number {
  return statistics.day === Math.floor(now / dayMs) ? statistics.completedToday : 0;
}

export function averageWaitSeconds(statistics: Statistics, now: number): number {
  const oldest = Math.floor(now / slotMs) - slotCount;
  let claims = 0;
  let waitedMs = 0;
  for (const [slot, count, sum] of statistics.waits) {
    if (slot <= oldest) continue;
    claims += count;
    waitedMs += sum;
  }
  return claims === 0 ? 0 : Math.round(waitedMs / claims) / 1_000;
}
