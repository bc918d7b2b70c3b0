import { Temporal } from "temporal-polyfill";
import { isZoneName, limits } from "#base";
import type { PreferenceSchedule, ScheduleRange } from "#protos";

/**
 * Whether the schedule is silent now, on the clocks of this zone. A range begins at the first instant of its start and ends at the
 * last instant of its end; where clocks skip one of them, at the end of the gap. So a repeated hour does not break a range in two.
 */
export function isSilent({ ranges }: PreferenceSchedule, zone: string, now: number): boolean {
  const key = `${zone}\u0000${JSON.stringify(ranges)}`;
  const known = spans.get(key);
  if (known && known.from <= now && now < known.until) return known.silent;
  const span = spanAt(ranges, zone, now);
  if (known) spans.delete(key);
  else if (spans.size >= limits.scheduleCacheMax) spans.delete(spans.keys().next().value!);
  spans.set(key, span);
  return span.silent;
}

/** How long an answer stays the same; by zone and ranges. */
const spans = new Map<string, Span>();

interface Span {
  readonly from: number;
  readonly until: number;
  readonly silent: boolean;
}

function spanAt(ranges: readonly ScheduleRange[], zone: string, now: number): Span {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  let from = startOf(today, zone);
  let until = startOf(today.add({ days: 1 }), zone);
  let silent = false;
  for (const distance of [-1, 0, 1]) {
    const date = today.add({ days: distance });
    const day = weekDays[date.dayOfWeek - 1]!;
    for (const range of ranges) {
      if (!range.days.includes(day)) continue;
      const [start, end] = instantsOf(range, date, zone);
      if (end <= start) continue;
      if (start <= now && now < end) silent = true;
      for (const boundary of [start, end]) {
        if (boundary <= now) from = Math.max(from, boundary);
        else until = Math.min(until, boundary);
      }
    }
  }
  return { from, until, silent };
}

function instantsOf({ start, end }: ScheduleRange, date: Temporal.PlainDate, zone: string): [number, number] {
  // An end that is not after its start is on the next day. Both are HH:MM, so texts compare as times do.
  const endDate = end > start ? date : date.add({ days: 1 });
  const last = end === "24:00" ? wallTime(endDate.add({ days: 1 }), "00:00") : wallTime(endDate, end);
  return [instantOf(wallTime(date, start), zone, "earlier"), instantOf(last, zone, "later")];
}

function wallTime(date: Temporal.PlainDate, time: string): Temporal.PlainDateTime {
  return date.toPlainDateTime(Temporal.PlainTime.from(time));
}

function instantOf(wall: Temporal.PlainDateTime, zone: string, which: "earlier" | "later"): number {
  const found = wall.toZonedDateTime(zone, { disambiguation: which });
  if (found.toPlainDateTime().equals(wall)) return found.epochMilliseconds;
  // Clocks never read this: the earlier reading lies before the gap, and the next change of the clocks is its end.
  const before = wall.toZonedDateTime(zone, { disambiguation: "earlier" });
  return before.getTimeZoneTransition("next")!.epochMilliseconds;
}

function startOf(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime({ timeZone: zone }).epochMilliseconds;
}

const weekDays: readonly ScheduleRange["days"][number][] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export function isTimeZone(text: string): boolean {
  if (zones.has(text)) return true;
  if (!isZoneName(text)) return false;
  if (zones.size >= limits.scheduleCacheMax) zones.clear();
  zones.add(text);
  return true;
}

/** Asking `Intl` takes longer than the rest of a trigger. Names in any case are good, so their number is bounded. */
const zones = new Set<string>();
