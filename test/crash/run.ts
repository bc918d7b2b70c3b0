/**
 * Real crashes: `npm run chaos -- --kills 100 [--seed 1] [--engine embedded|cassandra] [--set name=value]`. With
 * `--engine cassandra` a node is started for the run; its jars come from `.ci/cassandra-jars`. With `--cluster --rounds 20` three
 * nodes share it and meet a fault in each round. With `--items 2000000` one queue on Cassandra is filled instead, and its
 * partitions are measured.
 */
import { parseArgs } from "node:util";
import { clusterChaos } from "../cluster/chaos.ts";
import { cassandraLifeMsMax, startCassandra } from "./cassandra.ts";
import { killUnderLoad } from "./kills.ts";
import { fillQueue } from "./large-queue.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    engine: { type: "string", default: "embedded" },
    items: { type: "string", default: "0" },
    set: { type: "string", multiple: true, default: [] },
    cluster: { type: "boolean", default: false },
    rounds: { type: "string", default: "20" },
  },
});

if (values.cluster) {
  const began = performance.now();
  const report = await clusterChaos({
    rounds: Number(values.rounds),
    seed: Number(values.seed),
    log: (line) => console.log(line),
  });
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `${report.rounds.length} rounds in ${seconds} s, ${report.acknowledged} acknowledged operations, ${report.settled} of them settlements, ${report.broken.length} broken`,
  );
  console.log(`fail-over: ${report.failOverMs.map((ms) => Math.round(ms)).join(", ")} ms`);
  for (const sentence of report.broken.slice(0, 20)) console.error(sentence);
  process.exit(report.broken.length > 0 || report.acknowledged === 0 ? 1 : 0);
}

const items = Number(values.items);
const cassandra = values.engine === "cassandra" || items > 0 ? await startCassandra() : undefined;
try {
  if (items > 0) await fill(items);
  else await kill();
} finally {
  await cassandra?.stop();
}

async function fill(count: number): Promise<void> {
  const { settings, storage } = cassandra!;
  const report = await fillQueue({
    items: count,
    payloadBytes: 1_000,
    settings: [...settings, ...values.set],
    storage,
  });
  const megabytes = (report.largestBytes / 1e6).toFixed(1);
  console.log(
    `${report.items} items in ${report.partitions} partitions, the largest ${megabytes} MB, ${report.broken.length} broken`,
  );
  for (const sentence of report.broken.slice(0, 20)) console.error(sentence);
  process.exitCode = report.broken.length > 0 || report.largestBytes > 256e6 ? 1 : 0;
}

async function kill(): Promise<void> {
  const report = await killUnderLoad({
    kills: Number(values.kills),
    seed: Number(values.seed),
    settings: [...(cassandra?.settings ?? [`storage.engine=${values.engine}`]), ...values.set],
    ...(cassandra && { lifeMsMax: cassandraLifeMsMax }),
  });
  console.log(
    `${report.kills} kills, ${report.acknowledged} acknowledged operations, ${report.settled} of them settlements, ${report.broken.length} broken`,
  );
  for (const sentence of report.broken.slice(0, 20)) console.error(sentence);
  process.exitCode = report.broken.length > 0 || report.acknowledged === 0 ? 1 : 0;
}
