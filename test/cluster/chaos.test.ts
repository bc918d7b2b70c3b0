import test from "ava";
import { cassandraMissing } from "../support/cassandra.ts";
import { clusterChaos } from "./chaos.ts";

const missing = cassandraMissing();
const onCassandra = missing === undefined ? test.serial : test.serial.skip;

onCassandra("three nodes through 20 faults: every acknowledged operation is there, once", async (t) => {
  t.timeout(900_000);
  const report = await clusterChaos({ rounds: 20, seed: 3 });
  t.deepEqual(report.broken, []);
  t.true(report.acknowledged > 100, `${report.acknowledged} operations`);
  t.true(report.settled > 10, `${report.settled} settlements`);
  t.log(`${report.acknowledged} acknowledged operations, ${report.settled} of them settlements`);
  t.log(`from kill -9 to the first writes: ${report.failOverMs.map((ms) => Math.round(ms)).join(", ")} ms`);
});
