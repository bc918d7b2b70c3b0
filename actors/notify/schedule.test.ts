/**
 * Quiet hours against the wall clocks of `Intl`, around changes of the clocks from 2000 to 2037. Every zone and change:
 * `SCHEDULE_ZONES=all npx ava actors/notify/schedule.test.ts`; the usual run takes some of them.
 */
import test from "ava";
import type { ScheduleRange } from "#protos";
import { isSilent } from "./schedule.ts";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const isFull = process.env.SCHEDULE_ZONES === "all";
const named = ["Australia/Lord_Howe", "Pacific/Apia", "America/Santiago", "Asia/Kathmandu"];

const ranges: readonly ScheduleRange[] = [
  { days: ["mon", "fri", "sun"], start: "22:00", end: "02:30" },
  { days: ["wed", "sat"], start: "09:15", end: "24:00" },
  { days: ["sun", "thu"], start: "00:00", end: "01:45" },
  { days: ["tue"], start: "02:15", end: "02:10" },
];

interface Clock {
  /** What the clock of the zone reads, as milliseconds. */
  read(at: number): number;
}

function clockOf(zone: string): Clock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
  });
  return {
    read(at) {
      const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number);
      return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
    },
  };
}

/** Every instant from 2000 to 2037 at which the distance to UTC changes, to the second. */
function changesOf({ read }: Clock): number[] {
  const found: number[] = [];
  const offset = (at: number) => read(at) - at;
  const stepMs = 10 * dayMs;
  for (let at = Date.UTC(2000, 0, 1); at < Date.UTC(2038, 0, 1); at += stepMs) {
    let from = at;
    let until = at + stepMs;
    if (offset(from) === offset(until)) continue;
    while (until - from > 1_000) {
      const middle = Math.floor((from + until) / 2_000) * 1_000;
      if (offset(middle) === offset(from)) from = middle;
      else until = middle;
    }
    found.push(until);
  }
  return found;
}

function isInside(reading: number): boolean {
  const date = new Date(reading);
  const today = (date.getUTCDay() + 6) % 7;
  const time = date.toISOString().slice(11, 16);
  const on = (which: readonly string[], day: number) => which.includes(days[(day + 7) % 7]!);
  return ranges.some(({ days: which, start, end }) =>
    end > start
      ? on(which, today) && start <= time && time < end
      : (on(which, today) && start <= time) || (on(which, today - 1) && time < end),
  );
}

/** The clock reads the same at another instant near this one. */
function isRepeated({ read }: Clock, at: number, change: number): boolean {
  const before = read(change - 1_000) - (change - 1_000);
  const after = read(change) - change;
  const other = at < change ? at + before - after : at - before + after;
  return (
    before > after && other !== at && read(other) === read(at) && Math.abs(other - change) <= before - after
  );
}

function wrongOf(zone: string, change: number, clock: Clock): string[] {
  const wrong: string[] = [];
  const look = (at: number) => {
    const silent = isSilent({ ranges }, zone, at);
    if (silent !== isInside(clock.read(at)) && !isRepeated(clock, at, change))
      wrong.push(`${zone} ${new Date(at).toISOString()}: ${silent}`);
  };
  // Fine around the change, coarse for the days that it makes longer or shorter.
  for (let at = change - 3 * hourMs; at <= change + 3 * hourMs; at += 5 * 60_000)
    for (const beside of [0, -1_000]) look(at + beside);
  for (let at = change - 2 * dayMs; at <= change + 2 * dayMs; at += 45 * 60_000) look(at);
  return wrong;
}

const zones = Intl.supportedValuesOf("timeZone");
const sample = zones.filter((zone, index) => isFull || named.includes(zone) || index % 40 === 0);

test(`quiet hours agree with the wall clocks of ${isFull ? "all" : "some"} zones around their changes, outside repeated hours`, (t) => {
  let count = 0;
  for (const zone of new Set([...sample, ...named])) {
    const clock = clockOf(zone);
    const changes = changesOf(clock);
    for (const [index, change] of changes.entries()) {
      if (!isFull && index % 5 !== 0) continue;
      t.deepEqual(wrongOf(zone, change, clock), []);
      count++;
    }
    // Zones without changes are looked at as well.
    t.deepEqual(wrongOf(zone, Date.UTC(2026, 5, 15), clock), []);
  }
  t.true(count > (isFull ? 5_000 : 30), `${count} changes`);
  t.log(`${count} changes`);
});

const silentAt = (zone: string, which: (typeof days)[number], start: string, end: string) => (at: string) =>
  isSilent({ ranges: [{ days: [which], start, end }] }, zone, Date.parse(at));

test("Lord Howe: clocks go half an hour, and a range ends where the clock reads it for the last time", (t) => {
  // 2026-04-05 02:00 becomes 01:30 at 15:00Z; 2026-10-04 02:00 becomes 02:30 at 15:30Z.
  const back = silentAt("Australia/Lord_Howe", "sun", "00:00", "01:45");
  t.true(back("2026-04-04T14:50:00Z"));
  t.true(back("2026-04-04T15:14:59Z"));
  t.false(back("2026-04-04T15:15:00Z"));
  const forth = silentAt("Australia/Lord_Howe", "sun", "00:00", "02:15");
  t.true(forth("2026-10-03T15:29:59Z"));
  t.false(forth("2026-10-03T15:30:00Z"));
});

test("Apia: 2011-12-30 does not exist, and a range that begins on it begins with the day after", (t) => {
  const friday = silentAt("Pacific/Apia", "fri", "22:00", "02:30");
  t.false(friday("2011-12-30T09:59:59Z"));
  t.true(friday("2011-12-30T10:00:00Z"));
  t.true(friday("2011-12-30T12:29:59Z"));
  t.false(friday("2011-12-30T12:30:00Z"));
  const gone = silentAt("Pacific/Apia", "fri", "09:00", "17:00");
  t.false(gone("2011-12-30T09:59:59Z"));
  t.false(gone("2011-12-30T10:00:00Z"));
});

test("Santiago: clocks go forward at midnight, and a day that begins at 01:00 has its range from then on", (t) => {
  const sunday = silentAt("America/Santiago", "sun", "00:30", "02:00");
  t.false(sunday("2026-09-06T03:59:59Z"));
  t.true(sunday("2026-09-06T04:00:00Z"));
  t.false(sunday("2026-09-06T05:00:00Z"));
});

test("Kathmandu: quarters of an hour count", (t) => {
  const monday = silentAt("Asia/Kathmandu", "mon", "22:00", "24:00");
  t.false(monday("2026-06-01T16:14:59Z"));
  t.true(monday("2026-06-01T16:15:00Z"));
  t.true(monday("2026-06-01T18:14:59Z"));
  t.false(monday("2026-06-01T18:15:00Z"));
});
