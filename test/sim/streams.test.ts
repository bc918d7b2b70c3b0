import test from "ava";
import { runtimeBugs } from "./ledger/bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, simulate } from "./simulate.ts";
import { streamsBugs } from "./streams/bugs.ts";

/** Schedules that every run of the tests plays, in parts: one that takes long is seen where it stands. */
const parts: readonly { readonly scenario: ScenarioName; readonly first: number; readonly count: number }[] =
  [
    ...Array.from({ length: 6 }, (_, n) => ({
      scenario: "streams" as const,
      first: 1 + n * 250,
      count: 250,
    })),
    ...Array.from({ length: 2 }, (_, n) => ({
      scenario: "streams-threads" as const,
      first: 1 + n * 250,
      count: 250,
    })),
  ];
/** Long enough for a trim, a hold, a take-over and several reconnects. */
const durationMs = 2_500;
const bugSeedsMax = 120;
const bugDurationMs = 6_000;

test.serial("streams: the same seed twice gives the same trace", async (t) => {
  const first = await simulate({ seed: 1, scenario: "streams", durationMs });
  const second = await simulate({ seed: 1, scenario: "streams", durationMs });
  t.is(first.trace, second.trace);
  t.true(first.steps > 1_000);
});

for (const { scenario, first, count } of parts)
  test.serial(
    `${scenario}, seeds ${first} to ${first + count - 1}: no gap, no duplicate, nothing early, no 410 missing`,
    async (t) => {
      const played = await runSeeds({ first, count, processes: 2, durationMs, scenarioOf: () => scenario });
      if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
      t.is(played.passed, count);
      t.true(played.acknowledged > count * 50);
    },
  );

const shared = ["a reply leaves before its commit", "the outbox is not in the commit"];

for (const { name } of [...streamsBugs, ...runtimeBugs.filter((bug) => shared.includes(bug.name))])
  test.serial(`streams, caught when planted: ${name}`, async (t) => {
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const scenario = "streams";
      const { violations } = await simulate({ seed, scenario, durationMs: bugDurationMs, bug: name });
      if (violations.length === 0) continue;
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
