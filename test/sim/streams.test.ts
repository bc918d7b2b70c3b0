import { runtimeBugs } from "./ledger/bugs.ts";
import { streamsBugs } from "./streams/bugs.ts";
import { everySeedHolds, plantedBugsAreCaught, sameSeedSameTrace } from "./suite.ts";

/** Long enough for a trim, a legal hold, a take-over and several reconnects. */
const durationMs = 2_500;
const claim = "no gap, no duplicate, nothing early, no 410 missing";
/** `STREAM_SEEDS=1500 npx ava test/sim/streams.test.ts` runs more, and `npm run sim -- --scenario streams` any number. */
const count = Number(process.env.STREAM_SEEDS ?? 60);

sameSeedSameTrace({ scenario: "streams", durationMs, steps: 1_000 });

for (const [scenario, share] of [
  ["streams", 1],
  ["streams-threads", 1 / 3],
] as const)
  everySeedHolds({ scenario, durationMs, claim, count: Math.ceil(count * share), acknowledged: 50 });

const shared = ["a reply leaves before its commit", "the outbox is not in the commit"];

plantedBugsAreCaught({
  scenario: "streams",
  durationMs: 6_000,
  bugs: [...streamsBugs, ...runtimeBugs.filter(({ name }) => shared.includes(name))],
  found: { "a gap between a reader and the live records is not repaired": 32 },
});
