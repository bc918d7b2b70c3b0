import { runtimeBugs } from "./ledger/bugs.ts";
import { streamsBugs } from "./streams/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/** Long enough for a trim, a legal hold, a take-over and several reconnects. */
const durationMs = 2_500;
const claim = "no gap, no duplicate, nothing early, no 410 missing";
/** Seeds run in several tests, so that a slow one is visible. */
const count = 250;

sameSeedSameTrace({ scenario: "streams", durationMs, steps: 1_000 });

for (const [scenario, parts] of [
  ["streams", 6],
  ["streams-threads", 2],
] as const)
  for (let part = 0; part < parts; part++)
    everySeedHolds({
      scenario,
      durationMs,
      claim,
      first: 1 + part * count,
      count,
      processes: 2,
      acknowledged: 50,
    });

const shared = ["a reply leaves before its commit", "the outbox is not in the commit"];

plantedBugsAreCaught({
  scenario: "streams",
  durationMs: 6_000,
  bugs: [...streamsBugs, ...runtimeBugs.filter(({ name }) => shared.includes(name))],
  seedsMax: 120,
});
