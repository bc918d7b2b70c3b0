import test from "ava";
import { needing } from "../support/needing.ts";
import { cassandraLifeMsMax, startCassandra } from "./cassandra.ts";
import { killUnderLoad } from "./kills.ts";
import { Server } from "./server.ts";
import { Workload } from "./workload.ts";

test.serial(
  "a service is killed 6 times under load: every acknowledged operation is stored once",
  async (t) => {
    // On a busy machine each start takes a quarter of a minute.
    t.timeout(600_000);
    const report = await killUnderLoad({ kills: 6, seed: 7 });
    t.deepEqual(report.broken, []);
    t.true(report.acknowledged > 100, `${report.acknowledged} operations`);
    t.true(report.settled > 10, `${report.settled} settlements`);
    t.log(`${report.kills} kills, ${report.acknowledged} acknowledged operations`);
  },
);

const onCassandra = needing(test.serial, "cassandra");

onCassandra(
  "a service on Cassandra is killed 2 times under load: every acknowledged operation is stored once",
  async (t) => {
    t.timeout(300_000);
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    const { settings } = cassandra;
    const report = await killUnderLoad({ kills: 2, seed: 7, settings, lifeMsMax: cassandraLifeMsMax });
    t.deepEqual(report.broken, []);
    t.true(report.acknowledged > 20, `${report.acknowledged} operations`);
    t.log(`${report.kills} kills, ${report.acknowledged} acknowledged operations`);
  },
);

test.serial(
  "a service is told to stop under load: it finishes accepted requests, exits 0, and nothing is lost",
  async (t) => {
    const server = new Server();
    t.teardown(() => server.remove());
    await server.start();
    const workload = new Workload(server);
    await workload.start(16);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    t.is(await server.terminate(), 0);
    await server.start();
    await workload.stop();
    t.deepEqual(await workload.check(), []);
  },
);
