import test from "ava";
import { plantedBugs } from "./bugs.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";

/** Enough for every kind of fault to meet every kind of operation; `npm run sim` goes further. */
const seeds = 200;
const durationMs = 5_000;
/** Seeds after which a planted bug that was not seen counts as missed. */
const bugSeedsMax = 60;
const bugDurationMs = 12_000;

test.serial("the same seed twice gives the same trace", async (t) => {
  for (const seed of [1, 2, 3]) {
    const first = await simulate({ seed, durationMs });
    const second = await simulate({ seed, durationMs });
    t.is(first.trace, second.trace);
    t.true(first.steps > 1_000);
  }
  t.not((await simulate({ seed: 1, durationMs })).trace, (await simulate({ seed: 2, durationMs })).trace);
});

test.serial(`${seeds} seeds: nothing acknowledged is lost, repeated, early or out of bounds`, async (t) => {
  let acknowledged = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await simulate({ seed, durationMs });
    acknowledged += result.acknowledged;
    if (result.violations.length > 0) return t.fail(await shrink(result, { durationMs }));
  }
  t.log(`${acknowledged} acknowledged changes`);
  t.true(acknowledged > seeds * 50);
});

for (const bug of plantedBugs)
  test.serial(`caught when planted: ${bug.name}`, async (t) => {
    const repair = bug.plant?.();
    t.teardown(() => repair?.());
    const breakStorage = bug.breakStorage && { breakStorage: bug.breakStorage };
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const { violations } = await simulate({ seed, durationMs: bugDurationMs, ...breakStorage });
      if (violations.length === 0) continue;
      repair?.();
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
