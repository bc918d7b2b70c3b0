/** More seeds: `NOTIFY_SEEDS=1000 npx ava test/sim/notify.test.ts`, or `npm run sim -- --scenario notify`. */
import { runtimeBugs } from "./ledger/bugs.ts";
import { notifyBugs } from "./notify/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

const count = Number(process.env.NOTIFY_SEEDS ?? 10);
/** Long enough for some broadcasts, a deletion and a take-over. */
const durationMs = 8_000;

sameSeedSameTrace({ scenario: "notify", durationMs, steps: 1_000 });

for (const scenario of ["notify", "notify-threads"] as const)
  everySeedHolds({
    scenario,
    durationMs,
    claim: "receivers of a broadcast are the members at its cut-off, each once",
    count,
    acknowledged: 3,
  });

const shared = ["an effect runs before its commit", "the outbox is not in the commit"];

plantedBugsAreCaught({
  scenario: "notify",
  durationMs,
  bugs: [...notifyBugs, ...runtimeBugs.filter(({ name }) => shared.includes(name))],
  found: {
    "a member that changes its context after the cut-off is lost": 22,
    "members of a deleted topic are lost to its broadcasts": 14,
    "rows of members that left are cleaned before a broadcast has come to them": 22,
    "a member that left before the cut-off is reached": 22,
    "an effect runs before its commit": 14,
  },
});
