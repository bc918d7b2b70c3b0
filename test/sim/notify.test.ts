/** All schedules: `NOTIFY_SEEDS=1000 npx ava test/sim/notify.test.ts`, or `npm run sim -- --scenario notify`. */
import test from "ava";
import { runtimeBugs } from "./ledger/bugs.ts";
import { notifyBugs } from "./notify/bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, simulate } from "./simulate.ts";

const count = Number(process.env.NOTIFY_SEEDS ?? 10);
/** Long enough for some broadcasts, a deletion and a take-over. */
const durationMs = 8_000;
const bugSeedsMax = 120;
const bugDurationMs = 8_000;

test.serial("notify: the same seed twice gives the same trace", async (t) => {
  const first = await simulate({ seed: 1, scenario: "notify", durationMs });
  const second = await simulate({ seed: 1, scenario: "notify", durationMs });
  t.is(first.trace, second.trace);
  t.true(first.steps > 1_000);
});

for (const scenario of ["notify", "notify-threads"] satisfies ScenarioName[])
  test.serial(
    `${scenario}: receivers of a broadcast are the members at its cut-off, each once`,
    async (t) => {
      const scenarioOf = () => scenario;
      const played = await runSeeds({ first: 1, count, processes: 2, durationMs, scenarioOf });
      if (played.failed !== undefined) return t.fail(await shrink(played.failed, { durationMs }));
      t.is(played.passed, count);
      t.true(played.acknowledged > count * 3);
    },
  );

const shared = ["an effect runs before its commit", "the outbox is not in the commit"];

for (const { name } of [...notifyBugs, ...runtimeBugs.filter((bug) => shared.includes(bug.name))])
  test.serial(`notify, caught when planted: ${name}`, async (t) => {
    for (let seed = 1; seed <= bugSeedsMax; seed++) {
      const { violations } = await simulate({
        seed,
        scenario: "notify",
        durationMs: bugDurationMs,
        bug: name,
      });
      if (violations.length === 0) continue;
      t.log(`seed ${seed}: ${violations[0]}`);
      return t.pass();
    }
    t.fail(`not seen in ${bugSeedsMax} seeds`);
  });
