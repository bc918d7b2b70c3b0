import test from "ava";
import { Random } from "#base";
import { askedZ, judge, lookZ } from "./guardrails.ts";
import { newcombe, type Sample, wilson } from "./intervals.ts";

test("Newcombe's published example: 56 of 70 against 48 of 80", (t) => {
  const { low, high } = newcombe({ count: 56, samples: 70 }, { count: 48, samples: 80 }, 1.96);
  t.is(low.toFixed(4), "0.0524");
  t.is(high.toFixed(4), "0.3339");
});

test("Wilson's interval stays within 0 and 1, also where nothing or everything is counted", (t) => {
  for (const count of [0, 100]) {
    const { low, high } = wilson({ count, samples: 100 }, askedZ);
    t.true(low >= 0 && high <= 1 && low < high);
  }
});

/** Whether a canary is stopped by one of its looks, and after how many samples. */
function stoppedAfter(random: Random, rates: { canary: number; stable: number }): number {
  const guardrail = { max_increase: 0.02, min_samples: 100 };
  const canary = { count: 0, samples: 0 };
  const stable = { count: 0, samples: 0 };
  const draw = (sample: { count: number; samples: number }, times: number, rate: number) => {
    sample.samples += times;
    for (let i = 0; i < times; i++) if (random.float() < rate) sample.count++;
  };
  for (let look = 0; look < 60; look++) {
    draw(canary, 50, rates.canary);
    draw(stable, 950, rates.stable);
    const verdict = judge(guardrail, canary as Sample, stable as Sample, lookZ).verdict;
    if (verdict === "fail") return canary.samples;
  }
  return Number.POSITIVE_INFINITY;
}

test("1,000 canaries that are no worse (2 %), 60 looks each: at most 1 % are stopped", (t) => {
  const random = new Random(30);
  let stopped = 0;
  for (let i = 0; i < 1_000; i++)
    if (Number.isFinite(stoppedAfter(random, { canary: 0.02, stable: 0.02 }))) stopped++;
  t.log(`${stopped} of 1,000 were stopped`);
  t.true(stopped <= 10);
});

test("1,000 canaries with 12 % against 2 %: at least 99 % are stopped within 500 samples", (t) => {
  const random = new Random(31);
  let found = 0;
  for (let i = 0; i < 1_000; i++) if (stoppedAfter(random, { canary: 0.12, stable: 0.02 }) <= 500) found++;
  t.log(`${found} of 1,000 were stopped within 500 samples`);
  t.true(found >= 990);
});

test("given too few samples, or none of the rest, the verdict is inconclusive and never pass", (t) => {
  const few = judge(
    { max_increase: 0.02, min_samples: 100 },
    { count: 0, samples: 99 },
    { count: 0, samples: 9_999 },
    askedZ,
  );
  const alone = judge(
    { max_increase: 0.02, min_samples: 100 },
    { count: 0, samples: 999 },
    { count: 0, samples: 0 },
    askedZ,
  );
  t.deepEqual([few.verdict, alone.verdict], ["inconclusive", "inconclusive"]);
});

test("of max and max_increase the worst counts", (t) => {
  const canary = { count: 300, samples: 1_000 };
  const stable = { count: 3_000, samples: 10_000 };
  t.is(judge({ max: 0.1, max_increase: 0.1, min_samples: 100 }, canary, stable, askedZ).verdict, "fail");
  t.is(judge({ max: 0.5, max_increase: 0.1, min_samples: 100 }, canary, stable, askedZ).verdict, "pass");
});
