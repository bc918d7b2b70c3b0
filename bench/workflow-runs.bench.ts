// How many workflow runs of five steps a second, durable, against DBOS on a PostgreSQL that syncs every commit?
import { defineBench } from "./support/bench.ts";
import { dbosRuns } from "./support/dbos.ts";
import { serviceRuns } from "./support/workflow-runs.ts";

const inFlight = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
/** V8 compiles on the cores that both need. */
const warmSeconds = 3 * seconds;

export default defineBench({
  question:
    "How many workflow runs of five steps (route, branch, enqueue, wait_event, end) a second at 64 in flight, durable, against DBOS with synchronous_commit on?",
  needs: ["postgres"],
  contenders: {
    service: () => serviceRuns(inFlight, seconds, warmSeconds),
    dbos: () => dbosRuns(inFlight, seconds, warmSeconds),
  },
  bars: [{ figure: "per_s", contender: "service", against: "dbos", atLeast: 2 }],
});
