import test from "ava";
import { runtimeBugs } from "./ledger/bugs.ts";
import { linkBugs } from "./ledger/link-bugs.ts";
import { memberBugs } from "./ledger/member-bugs.ts";
import type { PlantedBug } from "./planted.ts";
import { routingBugs } from "./routing/bugs.ts";
import { threadBugs } from "./routing/thread-bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { shrink } from "./shrink.ts";
import { type ScenarioName, scenarioNames, simulate } from "./simulate.ts";

/** Enough for every kind of fault to meet every kind of operation; `npm run sim` goes further. */
const seedsMost = 100;
const durationMs = 5_000;
/** Seeds after which a planted bug that was not seen counts as missed. */
const bugSeedsMax = 120;
const bugDurationMs = 12_000;

interface Played {
  readonly scenario: ScenarioName;
  readonly claim: string;
  readonly seeds: number;
  readonly bugs: readonly PlantedBug[];
}

const scenarios: readonly Played[] = [
  {
    scenario: "ledger",
    claim: "nothing acknowledged is lost, repeated, early or out of bounds",
    seeds: seedsMost,
    bugs: runtimeBugs,
  },
  {
    scenario: "routing",
    claim: "no item or routing is lost, done twice, leased twice, over its limit, leaked or stuck",
    seeds: seedsMost,
    bugs: routingBugs,
  },
  {
    scenario: "ledger-threads",
    claim: "every ask over a link is answered once, and nothing is lost with a thread",
    seeds: seedsMost / 2,
    bugs: linkBugs,
  },
  {
    scenario: "routing-threads",
    claim: "no item, routing or event is lost on its way from thread to thread, or comes twice",
    seeds: seedsMost / 2,
    bugs: threadBugs,
  },
  {
    scenario: "ledger-members",
    claim: "nodes that come and go lose nothing acknowledged, and what is broadcast reaches all of them",
    seeds: seedsMost / 4,
    bugs: memberBugs,
  },
  {
    scenario: "routing-members",
    claim: "no item, routing or event is lost while shards move between nodes, or comes twice",
    seeds: seedsMost / 4,
    bugs: [],
  },
];

for (const { scenario, claim, seeds, bugs } of scenarios) {
  test.serial(`${scenario}: the same seed twice gives the same trace`, async (t) => {
    const traces = new Set<string>();
    for (const seed of [1, 2]) {
      const first = await simulate({ seed, scenario, durationMs });
      const second = await simulate({ seed, scenario, durationMs });
      t.is(first.trace, second.trace);
      t.true(first.steps > 1_000);
      traces.add(first.trace);
    }
    t.is(traces.size, 2);
  });

  test.serial(`${scenario}, ${seeds} seeds: ${claim}`, async (t) => {
    let acknowledged = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await simulate({ seed, scenario, durationMs });
      acknowledged += result.acknowledged;
      if (result.violations.length > 0) return t.fail(await shrink(result, { durationMs }));
    }
    t.log(`${acknowledged} acknowledged changes`);
    t.true(acknowledged > seeds * 50);
  });

  for (const bug of bugs)
    test.serial(`${scenario}, caught when planted: ${bug.name}`, async (t) => {
      for (let seed = 1; seed <= bugSeedsMax; seed++) {
        const { violations } = await simulate({ seed, scenario, durationMs: bugDurationMs, bug: bug.name });
        if (violations.length === 0) continue;
        t.log(`seed ${seed}: ${violations[0]}`);
        return t.pass();
      }
      t.fail(`not seen in ${bugSeedsMax} seeds`);
    });
}

test.serial("seeds that two processes share are each played once, as one process plays them", async (t) => {
  const run = {
    first: 1,
    count: 6,
    durationMs: 1_000,
    scenarioOf: (seed: number) => scenarioNames[seed % scenarioNames.length]!,
  };
  const traces = async (processes: number) => {
    const seen = new Map<number, string>();
    const summary = await runSeeds({ ...run, processes, passed: ({ seed, trace }) => seen.set(seed, trace) });
    return { summary, seen: [...seen].sort(([a], [b]) => a - b) };
  };
  const shared = await traces(2);
  t.is(shared.summary.passed, run.count);
  t.deepEqual(shared, await traces(1));
});
