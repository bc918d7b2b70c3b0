import test from "ava";
import { Statistics } from "./statistics.ts";

const dayMs = 86_400_000;

test("completions are counted from midnight UTC to the next", (t) => {
  const statistics = new Statistics();
  statistics.countCompletions(5 * dayMs - 2, 2);
  statistics.countCompletions(5 * dayMs - 1, 1);
  t.is(statistics.throughputToday(5 * dayMs - 1), 3);
  t.is(statistics.throughputToday(5 * dayMs), 0);
  statistics.countCompletions(5 * dayMs, 4);
  t.is(statistics.throughputToday(5 * dayMs), 4);
});

test("the average wait is that of all claims of five minutes, and what is older is not kept", (t) => {
  const statistics = new Statistics();
  statistics.countClaims(0, 1, 1_000);
  statistics.countClaims(10_000, 3, 1_000);
  statistics.countClaims(30_000, 1, 3_500);
  t.is(statistics.averageWaitSeconds(299_999), 1.1);
  t.is(statistics.averageWaitSeconds(300_000), 3.5);
  t.is(statistics.averageWaitSeconds(330_000), 0);
  for (let slot = 2; slot < 100; slot++) statistics.countClaims(slot * 30_000, 1, 0);
  t.is(statistics.waits.length, 10);
});
