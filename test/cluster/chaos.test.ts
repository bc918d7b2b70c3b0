import test from "ava";
import { cassandraMissing } from "../support/cassandra.ts";
import { clusterChaos } from "./chaos.ts";

const missing = cassandraMissing();
const onCassandra = missing === undefined ? test.serial : test.serial.skip;

for (const seed of [3, 4])
  onCassandra(
    `three nodes through 10 faults (seed ${seed}): every acknowledged operation is there, once`,
    async (t) => {
      t.timeout(900_000);
      const report = await clusterChaos({ rounds: 10, seed });
      t.deepEqual(report.broken, []);
      t.true(report.acknowledged > 50, `${report.acknowledged} operations`);
      t.true(report.settled > 5, `${report.settled} settlements`);
      t.log(`${report.acknowledged} acknowledged operations, ${report.settled} of them settlements`);
      t.log(
        `from kill -9 to the first writes: ${report.failOverMs.map((ms) => Math.round(ms)).join(", ")} ms`,
      );
    },
  );
