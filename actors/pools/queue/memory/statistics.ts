/** Claims of half a minute, by its number, and the sum of their waits. */
type Slot = [number: number, claims: number, waitedMs: number];

const slotMs = 30_000;
const slotCount = 10;
const dayMs = 86_400_000;

/** Stats of a queue that no single item tells: average wait over five minutes, completions since UTC midnight. */
export class Statistics {
  day = 0;
  completedToday = 0;
  waits: Slot[] = [];

  countClaims(now: number, claims: number, waitedMs: number): void {
    const number = Math.floor(now / slotMs);
    const slot = this.waits.find((known) => known[0] === number);
    if (slot) {
      slot[1] += claims;
      slot[2] += waitedMs;
      return;
    }
    this.waits = this.waits.filter((known) => known[0] > number - slotCount);
    this.waits.push([number, claims, waitedMs]);
  }

  countCompletions(now: number, completions: number): void {
    const day = Math.floor(now / dayMs);
    if (day !== this.day) this.completedToday = 0;
    this.day = day;
    this.completedToday += completions;
  }

  throughputToday(now: number): number {
    return this.day === Math.floor(now / dayMs) ? this.completedToday : 0;
  }

  averageWaitSeconds(now: number): number {
    const oldest = Math.floor(now / slotMs) - slotCount;
    let claims = 0;
    let waitedMs = 0;
    for (const [number, count, sum] of this.waits) {
      if (number <= oldest) continue;
      claims += count;
      waitedMs += sum;
    }
    return claims === 0 ? 0 : Math.round(waitedMs / claims) / 1_000;
  }

  restore(day: number, completedToday: number, waits: readonly Slot[]): void {
    this.day = day;
    this.completedToday = completedToday;
    this.waits = waits.map((slot) => [...slot]);
  }
}
