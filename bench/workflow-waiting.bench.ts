// How much memory does a service take while 100,000 workflow runs wait for an event?
import { defineBench } from "./support/bench.ts";
import { waitingRuns } from "./support/workflow-runs.ts";

/** `BENCH_WAITING=10000` shortens it. */
const count = Number(process.env.BENCH_WAITING ?? 100_000);

export default defineBench({
  question: "How much memory does a service take while 100,000 workflow runs wait for an event?",
  rounds: 1,
  contenders: { service: () => waitingRuns(count) },
  // All resident memory except file pages: waiting runs are evicted, and their rows are on disk.
  bars: [{ figure: "all_mb", contender: "service", atMost: 1_024 }],
});
