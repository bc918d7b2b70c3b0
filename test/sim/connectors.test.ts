import { connectorsBugs } from "./connectors/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/**
 * Long enough for refreshes, a reconnect and several take-overs; `npm run sim -- --scenario connectors` runs longer.
 */
const durationMs = 5_000;
const count = Number(process.env.CONNECTOR_SEEDS ?? 8);

sameSeedSameTrace({ scenario: "connectors", durationMs, steps: 500 });

for (const scenario of ["connectors", "connectors-threads"] as const)
  everySeedHolds({
    scenario,
    durationMs,
    claim: "every execution ends, no payment is made twice or told wrongly, one refresh at a time",
    count,
    acknowledged: 10,
  });

plantedBugsAreCaught({ scenario: "connectors", durationMs: 8_000, bugs: connectorsBugs });
