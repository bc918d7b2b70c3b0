import test from "ava";
import { runtimeBugs } from "./ledger/bugs.ts";
import { linkBugs } from "./ledger/link-bugs.ts";
import { memberBugs } from "./ledger/member-bugs.ts";
import { runSeeds } from "./run-seeds.ts";
import { scenarioNames } from "./simulate.ts";
import { everyKind } from "./suite.ts";

everyKind([
  {
    scenario: "ledger",
    claim: "nothing acknowledged is lost, repeated, early or out of bounds",
    count: 40,
    bugs: runtimeBugs,
    found: { "the low watermark under which messages are repeats is not in the commit": 6 },
  },
  {
    scenario: "ledger-threads",
    claim: "every ask over a link is answered once, and nothing is lost with a thread",
    count: 15,
    bugs: linkBugs,
    found: { "a link is cut before what its dead thread said was heard": 7 },
  },
  {
    scenario: "ledger-members",
    claim: "nodes that come and go lose nothing acknowledged, and what is broadcast reaches all of them",
    count: 10,
    bugs: memberBugs,
    found: { "a broadcast does not leave its node": 10 },
  },
]);

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
