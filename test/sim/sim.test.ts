import test from "ava";
import { runtimeBugs } from "./ledger/bugs.ts";
import { linkBugs } from "./ledger/link-bugs.ts";
import { memberBugs } from "./ledger/member-bugs.ts";
import type { PlantedBug } from "./planted.ts";
import { routingBugs } from "./routing/bugs.ts";
import { threadBugs } from "./routing/thread-bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { type ScenarioName, scenarioNames } from "./simulate.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/** Enough for every kind of fault to meet every kind of operation; `npm run sim` runs more. */
const seedsMost = 100;
const durationMs = 5_000;
/** A planted bug that was not found after this many seeds counts as missed. */
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
  sameSeedSameTrace({ scenario, durationMs, steps: 1_000 });
  everySeedHolds({ scenario, durationMs, claim, count: seeds, acknowledged: 50 });
  plantedBugsAreCaught({ scenario, durationMs: bugDurationMs, bugs, seedsMax: bugSeedsMax });
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
