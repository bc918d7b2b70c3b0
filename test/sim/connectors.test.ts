import test from "ava";
import { connectorsBugs } from "./connectors/bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, simulate } from "./simulate.ts";

/** Long enough for refreshes, a reconnect and several take-overs; `npm run sim -- --scenario connectors` goes further. */
const durationMs = 5_000;
const seeds = Number(process.env.CONNECTOR_SEEDS ?? 8);
const bugSeedsMax = 60;
const bugDurationMs = 8_000;

test.serial("connectors: the same seed twice gives the same trace", async (t) => {
  const first = await simulate({ seed: 1, scenario: "connectors", durationMs });
  const second = await simulate({ seed: 1, scenario: "connectors", durationMs });
  t.is(first.trace, second.trace);
  t.true(first.steps > 500);
});

for (const scenario of ["connectors", "connectors-threads"] as const satisfies readonly ScenarioName[])
  test.serial(
    `${scenario}: every execution ends, no payment is made twice or told wrongly, one refresh at a time`,
    async (t) => {
      const played = await runSeeds({
        first: 1,
        count: seeds,
        processes: 2,
        durationMs,
        scenarioOf: () => scenario,
      });
      if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
      t.is(played.passed, seeds);
      t.true(played.acknowledged > seeds * 10, `${played.acknowledged}`);
    },
  );

for (const { name } of connectorsBugs)
  test.serial(`connectors, caught when planted: ${name}`, async (t) => {
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const { violations } = await simulate({
        seed,
        scenario: "connectors",
        durationMs: bugDurationMs,
        bug: name,
      });
      if (violations.length === 0) continue;
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
