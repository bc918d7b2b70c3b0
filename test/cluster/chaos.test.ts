import test from "ava";
import { needing } from "../support/needing.ts";
import { clusterChaos } from "./chaos.ts";

const onCassandra = needing(test.serial, "cassandra", "namespaces", "openssl");

// Eighteen kinds of faults, each at least once. Lease times are checked only where the clocks of the nodes are right.
for (const { seed, firstFault, hasRightClocks } of [
  { seed: 3, firstFault: 0, hasRightClocks: false },
  { seed: 4, firstFault: 10, hasRightClocks: true },
])
  onCassandra(
    `three nodes under 10 faults (seed ${seed}): every acknowledged operation is stored once, in order and by one owner`,
    async (t) => {
      t.timeout(900_000);
      const report = await clusterChaos({ rounds: 10, seed, firstFault, hasRightClocks });
      t.deepEqual(report.broken, []);
      t.true(report.acknowledged > 50, `${report.acknowledged} operations`);
      t.true(report.settled > 5, `${report.settled} settlements`);
      t.log(`${report.acknowledged} acknowledged operations, ${report.settled} of them settlements`);
      t.log(
        `from kill -9 to the first writes: ${report.failOverMs.map((ms) => Math.round(ms)).join(", ")} ms`,
      );
    },
  );
