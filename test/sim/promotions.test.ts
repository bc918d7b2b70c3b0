import { promotionsBugs } from "./promotions/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/**
 * `PROMOTION_SEEDS=2000 npx ava test/sim/promotions.test.ts` runs more seeds, and `npm run sim -- --scenario promotions
 * --seeds 20000` any number.
 */
const count = Number(process.env.PROMOTION_SEEDS ?? 20);
const durationMs = 4_000;

sameSeedSameTrace({ scenario: "promotions", durationMs, steps: 1_000 });

everySeedHolds({
  scenario: "promotions",
  durationMs,
  claim: "all targets are activated or none, a rollback restores content and ids, no canary is left",
  count,
  acknowledged: 20,
});

plantedBugsAreCaught({
  scenario: "promotions",
  durationMs,
  bugs: promotionsBugs,
  found: {
    "targets are activated before all are prepared": 32,
    "a key changes its side when the share rises": 8,
    "an approval survives new evidence": 8,
  },
});
