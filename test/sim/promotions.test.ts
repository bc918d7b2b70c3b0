import test from "ava";
import { promotionsBugs } from "./promotions/bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";

/**
 * `PROMOTION_SEEDS=2000 npx ava test/sim/promotions.test.ts` plays more schedules, and
 * `npm run sim -- --scenario promotions --seeds 20000` as many as one likes.
 */
const count = Number(process.env.PROMOTION_SEEDS ?? 30);
const durationMs = 4_000;
const bugSeedsMax = 120;

test.serial("promotions: the same seed twice gives the same trace", async (t) => {
  const first = await simulate({ seed: 1, scenario: "promotions", durationMs });
  const second = await simulate({ seed: 1, scenario: "promotions", durationMs });
  t.is(first.trace, second.trace);
  t.true(first.steps > 1_000);
});

test.serial(
  `promotions, seeds 1 to ${count}: all targets are activated or none, a rollback restores content and ids, no canary is left`,
  async (t) => {
    const run = { first: 1, count, processes: 2, durationMs, scenarioOf: () => "promotions" as const };
    const played = await runSeeds(run);
    if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
    t.is(played.passed, count);
    t.true(played.acknowledged > count * 20);
  },
);

for (const { name } of promotionsBugs)
  test.serial(`promotions, caught when planted: ${name}`, async (t) => {
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const { violations } = await simulate({ seed, scenario: "promotions", durationMs, bug: name });
      if (violations.length === 0) continue;
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
