import test from "ava";
import { killUnderLoad } from "./kills.ts";
import { Server } from "./server.ts";
import { Workload } from "./workload.ts";

test.serial("killed 20 times under load: every acknowledged operation is there, once", async (t) => {
  const report = await killUnderLoad({ kills: 20, seed: 7 });
  t.deepEqual(report.broken, []);
  t.true(report.acknowledged > 100, `${report.acknowledged} operations`);
  t.true(report.settled > 10, `${report.settled} settlements`);
  t.log(`${report.kills} kills, ${report.acknowledged} acknowledged operations`);
});

test.serial("told to stop under load: finishes what it took, exits 0, and nothing is lost", async (t) => {
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
});
