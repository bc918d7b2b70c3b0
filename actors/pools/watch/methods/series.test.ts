import test from "ava";
import { Random } from "#base";
import { calm, judgeNext, nextStreak, type Series, type SeriesRule, withPoint } from "./series.ts";

const usual: SeriesRule = {
  method: "zscore",
  direction: "below",
  threshold: 3,
  multiplier: 1.5,
  drop: 0.5,
  min_base: 1,
  patterns: [],
  window_points: 168,
  min_points: 30,
  seasonality: "none",
  time_zone: "Europe/Berlin",
};
const hourMs = 3_600_000;
const fresh: Series = { points: [], bins: new Map() };

const clocks = new Intl.DateTimeFormat("en", {
  timeZone: "Europe/Berlin",
  weekday: "short",
  hour: "numeric",
  hourCycle: "h23",
});

/** Orders of a shop: by day from Monday to Friday, on the clocks of Berlin. */
const random = new Random("orders");
const learning = 10 * 168;

/** Thirteen weeks, two of them after a change of the clocks. */
function ordersFrom(monday: string) {
  return Array.from({ length: 13 * 168 }, (_, hour) => {
    const at = Date.parse(monday) + hour * hourMs;
    const [day, time] = clocks.format(at).split(", ") as [string, string];
    const isOpen = !day.startsWith("S") && Number(time) >= 9 && Number(time) < 17;
    return { at, orders: (isOpen ? 200 : 40) + random.float() * 20 };
  });
}

const spring = ordersFrom("2025-01-13T00:00:00Z");
const autumn = ordersFrom("2025-08-11T00:00:00Z");

/** When anomalies were found once ten weeks were known; `planted`: hours in which nearly nothing is ordered. */
function anomaliesOf(rule: SeriesRule, orders: typeof spring, planted: readonly number[] = []): number[] {
  let series = fresh;
  const found: number[] = [];
  for (const [hour, { at, orders: usually }] of orders.entries()) {
    const judged = judgeNext(rule, series, planted.includes(at) ? 45 : usually, at);
    if (hour >= learning && judged.verdict?.isAnomaly) found.push(at);
    series = withPoint(rule, series, judged);
  }
  return found;
}

const byWeek: SeriesRule = { ...usual, seasonality: "hour_of_week" };

// Wednesdays at eleven in Berlin, before and after the clocks go forward and back.
for (const [change, orders, ...drops] of [
  ["forward", spring, "2025-03-26T10:00:00Z", "2025-04-02T09:00:00Z"],
  ["back", autumn, "2025-10-22T09:00:00Z", "2025-10-29T10:00:00Z"],
] as const)
  test(`when the clocks go ${change}, a drop to the level of the night is found by the hour of the week, and not by the window`, (t) => {
    const planted = drops.map((at) => Date.parse(at));
    const seasonal = anomaliesOf(byWeek, orders, planted);
    t.deepEqual(
      planted.filter((at) => !seasonal.includes(at)),
      [],
    );
    t.true(seasonal.length <= planted.length + 8, `${seasonal.length} of ${3 * 168} hours`);
    const plain = anomaliesOf(usual, orders, planted);
    t.deepEqual(
      planted.filter((at) => plain.includes(at)),
      [],
    );
  });

test("hours in UTC take the change of the clocks for anomalies, those of the zone do not", (t) => {
  const inZone = anomaliesOf(byWeek, spring).length;
  const inUtc = anomaliesOf({ ...byWeek, time_zone: "UTC" }, spring).length;
  t.true(inUtc >= inZone + 5, `${inUtc} and ${inZone}`);
});

test("an hour with fewer than three values is judged by the window", (t) => {
  const rule: SeriesRule = { ...usual, seasonality: "hour_of_day", min_points: 2, time_zone: "UTC" };
  let series = fresh;
  const baselines: (string | undefined)[] = [];
  for (let point = 0; point < 8; point++) {
    const judged = judgeNext(rule, series, 10, 0);
    baselines.push(judged.verdict?.baseline);
    series = withPoint(rule, series, judged);
  }
  t.deepEqual(baselines, [
    ...[undefined, undefined, "window", "window", "window"],
    ...["seasonal", "seasonal", "seasonal"],
  ]);
  t.deepEqual([...series.bins], [[0, { n: 8, mean: 10 }]]);
});

test("a million points take the room of one window", (t) => {
  const rule = { ...usual, window_points: 60, seasonality: "hour_of_week" as const, time_zone: "UTC" };
  let series = fresh;
  for (let point = 0; point < 1_000_000; point++) {
    const judged =
      point % 1_000 === 0
        ? judgeNext(rule, series, point % 7, point * 60_000)
        : { point: { value: point % 7, residual: null } };
    series = withPoint(rule, series, judged);
  }
  t.is(series.points.length, 60);
  t.true(series.bins.size <= 168);
});

test("an anomaly opens after so many in a row, closes after so many others, and the next one waits", (t) => {
  const rule = { open_after: 2, close_after: 3, cooldown_seconds: 6 };
  const verdicts = "xx.x.xxx...xxxxxxx";
  let streak = calm;
  let shown = "";
  for (const [second, verdict] of [...verdicts].entries()) {
    streak = nextStreak(rule, streak, verdict === "x", second * 1_000);
    shown += streak.isOpen ? "O" : "-";
  }
  t.is(shown, "-OOOOOOOOO------OO");
});
