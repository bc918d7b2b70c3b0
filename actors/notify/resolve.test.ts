import test from "ava";
import { Random } from "#base";
import type { ChannelPreference, PreferenceSchedule } from "#protos";
import { channels } from "./outbound/types.ts";
import type { PreferenceSettings } from "./preference.ts";
import { type Layer, resolve } from "./resolve.ts";
import { isSilent } from "./schedule.ts";

const variables = {
  payload: { yes: true },
  subscriber: {},
  workflow_key: "w",
  topic_key: "",
  context_keys: [],
  user_id: "",
  environment: "production",
};
const now = Date.UTC(2026, 5, 1, 12);
const always: PreferenceSchedule = {
  ranges: [{ days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], start: "00:00", end: "24:00" }],
};
const never: PreferenceSchedule = { ranges: [{ days: ["sun"], start: "00:00", end: "00:01" }] };

/** Written from the decisions alone, for one channel: conditions are `yes`, `no` or `bad`. */
function second(layers: readonly Layer[]): { allowed: boolean; reason: string; winner: number } {
  const holds = (condition?: string) => condition === undefined || condition === "payload.yes";
  const inside = layers.map((row) => (row && holds(row.condition) ? row : undefined));
  const opinions = inside.map((row) => {
    if (!row) return undefined;
    const entry = [row.channels?.email, row.all].find(
      (one) => one?.enabled !== undefined && holds(one.condition),
    );
    return entry && { enabled: entry.enabled!, locks: entry.read_only === true || row.read_only === true };
  });
  const lock = opinions.findIndex((opinion) => opinion?.locks);
  const last = opinions.findLastIndex((opinion) => opinion !== undefined);
  const winner = lock >= 0 ? lock : last;
  const lockedOut = lock >= 0 && last > lock;
  const chosen = opinions[winner];
  const schedule = inside.findLast((row) => row?.schedule)?.schedule;
  const enabled = chosen?.enabled ?? true;
  const base = chosen ? `${enabled ? "enabled" : "disabled"}${lockedOut ? "_locked" : ""}` : "default";
  if (!enabled || schedule !== always) return { allowed: enabled, reason: base, winner: winner + 1 };
  const passes = chosen?.locks === true;
  return { allowed: passes, reason: passes ? "quiet_hours_bypassed" : "quiet_hours", winner: winner + 1 };
}

function check(layers: readonly Layer[]): string | undefined {
  const [decision] = resolve({ layers, channels: ["email"], timezone: "UTC", variables, now });
  const { allowed, reason_code: reason, winning_layer: winner } = decision!;
  const found = JSON.stringify({ allowed, reason, winner });
  const expected = JSON.stringify(second(layers));
  return found === expected ? undefined : `${JSON.stringify(layers)}: ${found}, not ${expected}`;
}

/** What a layer may say: nothing, yes or no, and the last two with a lock. */
const said: readonly (ChannelPreference | undefined)[] = [
  undefined,
  { enabled: true },
  { enabled: false },
  { enabled: true, read_only: true },
  { enabled: false, read_only: true },
];
/** On one of the rows: it holds, is false, or fails. */
const conditions = ["payload.yes", "!payload.yes", "payload.none"];
const places = [0, 1, 2, 3, 4];

test("resolver: all 3^5 layer states with every set of locks, every place of a schedule and every condition of a row agree with a second one", (t) => {
  const wrong: string[] = [];
  let count = 0;
  const look = (layers: readonly Layer[]) => {
    count++;
    const problem = check(layers);
    if (problem) wrong.push(problem);
  };
  for (let state = 0; state < said.length ** 5; state++) {
    const all = places.map((index) => said[Math.floor(state / said.length ** index) % said.length]);
    for (const quiet of [-1, ...places]) {
      const rows = places.map((index): Layer => {
        const entry = all[index];
        if (!entry && quiet !== index) return null;
        return { ...(entry && { all: entry }), ...(quiet === index && { schedule: always }) };
      });
      look(rows);
      for (const place of places)
        for (const condition of rows[place] ? conditions : [])
          look(rows.map((row, index) => (index === place ? { ...row, condition } : row)));
    }
  }
  t.deepEqual(wrong.slice(0, 10), []);
  t.log(`${count} cases`);
});

test("resolver: 20,000 random rows agree with a second one", (t) => {
  const random = new Random(29);
  const pick = <T>(...values: readonly T[]): T => values[random.uint32() % values.length]!;
  const entry = (): ChannelPreference | undefined =>
    pick(undefined, {
      ...pick({}, { enabled: true }, { enabled: false }),
      ...pick({}, {}, { read_only: true }, { read_only: false }),
      ...pick(
        {},
        {},
        { condition: "payload.yes" },
        { condition: "!payload.yes" },
        { condition: "payload.none" },
      ),
    });
  const row = (): Layer => {
    const [all, email] = [entry(), entry()];
    const settings: PreferenceSettings = {
      ...(all && { all }),
      ...(email && { channels: { email } }),
      ...pick({}, {}, { schedule: always }, { schedule: never }),
      ...pick({}, {}, {}, { read_only: true }),
      ...pick(
        {},
        {},
        { condition: "payload.yes" },
        { condition: "!payload.yes" },
        { condition: "payload.none" },
      ),
    };
    return pick<Layer>(undefined, null, settings, settings, settings);
  };
  const wrong: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    const problem = check(Array.from({ length: 5 }, row));
    if (problem) wrong.push(problem);
  }
  t.deepEqual(wrong, []);
});

test("resolver: without a row every channel is allowed by default", (t) => {
  const layers = [null, undefined, null, null, undefined];
  const decisions = resolve({ layers, channels, timezone: "UTC", variables, now });
  t.deepEqual(new Set(decisions.map(({ reason_code }) => reason_code)), new Set(["default"]));
  t.deepEqual(
    decisions[0]!.trace.map(({ state }) => state),
    ["absent", "not_applicable", "absent", "absent", "not_applicable"],
  );
});

const every = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
type Days = readonly (typeof every)[number][];
const silent = (zone: string, start: string, end: string, at: string, days: Days = every) =>
  isSilent({ ranges: [{ days, start, end }] }, zone, Date.parse(at));

test("quiet hours: a gap ends a range at its own end, a repeated hour does not break one", (t) => {
  const zone = "America/New_York";
  t.true(silent(zone, "22:00", "02:30", "2026-03-08T06:59:59Z"));
  t.false(silent(zone, "22:00", "02:30", "2026-03-08T07:00:00Z"));
  t.true(silent(zone, "22:00", "01:30", "2026-11-01T05:45:00Z"));
  t.true(silent(zone, "22:00", "01:30", "2026-11-01T06:29:59Z"));
  t.false(silent(zone, "22:00", "01:30", "2026-11-01T06:30:00Z"));
});

test("quiet hours: an overnight range belongs to the day it starts on", (t) => {
  t.true(silent("UTC", "23:00", "07:00", "2026-06-02T02:00:00Z", ["mon"]));
  t.false(silent("UTC", "23:00", "07:00", "2026-06-02T23:30:00Z", ["mon"]));
  t.false(silent("UTC", "23:00", "07:00", "2026-06-01T02:00:00Z", ["mon"]));
});
