import test from "ava";
import { experimentsBugs } from "./experiments/bugs.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";

/** `npm run sim -- --scenario experiments --seeds 2000` goes further. */
const seeds = 12;
/** Long enough for two pauses, a phase and a take-over. */
const durationMs = 6_000;
const bugSeedsMax = 60;

for (const scenario of ["experiments", "experiments-members"] as const)
  test.serial(
    `${scenario}, ${seeds} seeds: no unit is assigned after pause is answered, exposed twice or lost, and sums are exact`,
    async (t) => {
      let acknowledged = 0;
      for (let seed = 1; seed <= seeds; seed++) {
        const result = await simulate({ seed, scenario, durationMs });
        acknowledged += result.acknowledged;
        if (result.violations.length > 0) return t.fail(await shrink(result, { durationMs }));
      }
      t.log(`${acknowledged} acknowledged changes`);
      t.true(acknowledged > seeds * 30);
    },
  );

test.serial("experiments: the same seed twice gives the same trace", async (t) => {
  const first = await simulate({ seed: 1, scenario: "experiments", durationMs });
  const second = await simulate({ seed: 1, scenario: "experiments", durationMs });
  t.is(first.trace, second.trace);
  t.true(first.steps > 1_000);
});

for (const { name } of experimentsBugs)
  test.serial(`experiments, caught when planted: ${name}`, async (t) => {
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const { violations } = await simulate({ seed, scenario: "experiments", durationMs, bug: name });
      if (violations.length === 0) continue;
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
