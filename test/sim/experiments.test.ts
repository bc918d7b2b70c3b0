import { experimentsBugs } from "./experiments/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/**
 * Long enough for two pauses, a phase and a take-over; `npm run sim -- --scenario experiments --seeds 2000` runs more.
 */
const durationMs = 6_000;

for (const scenario of ["experiments", "experiments-members"] as const)
  everySeedHolds({
    scenario,
    durationMs,
    claim: "no unit is assigned after pause is answered, exposed twice or lost, and sums are exact",
    count: 12,
    acknowledged: 30,
  });

sameSeedSameTrace({ scenario: "experiments", durationMs, steps: 1_000 });

plantedBugsAreCaught({ scenario: "experiments", durationMs, bugs: experimentsBugs });
