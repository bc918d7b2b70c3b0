/** More seeds: `INSIGHT_SEEDS=1000 npx ava test/sim/insight.test.ts`, or `npm run sim -- --scenario insight`. */
import { insightBugs } from "./insight/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

const count = Number(process.env.INSIGHT_SEEDS ?? 10);
const durationMs = 5_000;

sameSeedSameTrace({ scenario: "insight", durationMs, steps: 1_000 });

for (const scenario of ["insight", "insight-threads"] as const)
  everySeedHolds({
    scenario,
    durationMs,
    claim: "every event has one delivery, which arrives, in its order; a slot has one report",
    count,
    acknowledged: 10,
  });

plantedBugsAreCaught({ scenario: "insight", durationMs, bugs: insightBugs });
