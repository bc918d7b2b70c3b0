/**
 * Real crashes: `npm run chaos -- --kills 100 [--seed 1] [--engine embedded|cassandra] [--set name=value]`. With
 * `--engine cassandra` a Cassandra node is started for the run; its jars come from `.ci/cassandra-jars`. With `--items
 * 2000000` one queue on Cassandra is filled instead, and its partitions are measured.
 * `--cluster --rounds 20 [--longest 60] [--first-fault 3] [--right-clocks] [--stores 3]` runs three service nodes in
 * network namespaces on Cassandra (`--stores` nodes) with a fault in each round; pauses and cuts last up to `--longest`
 * seconds. `--cluster --failover --kills 20 --handovers 3` measures how long writes wait after a kill -9, and while a
 * node that was told to stop gives its shards away.
 */
import { parseArgs } from "node:util";
import { clusterChaos } from "../cluster/chaos.ts";
import { measureFailOver } from "../cluster/fail-over.ts";
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
    failover: { type: "boolean", default: false },
    handovers: { type: "string", default: "0" },
    rounds: { type: "string", default: "20" },
    stores: { type: "string", default: "1" },
    longest: { type: "string", default: "5.5" },
    "first-fault": { type: "string", default: "0" },
    "right-clocks": { type: "boolean", default: false },
  },
});

if (values.cluster && values.failover) {
  const { failOver, handOvers } = await measureFailOver({
    kills: Number(values.kills),
    handOvers: Number(values.handovers),
    log: (line) => console.log(line),
  });
  for (const [name, ms] of Object.entries(failOver)) console.log(`${name}: ${summary(ms)}`);
  const failed = handOvers.flatMap((one) => one.failed);
  for (const sentence of failed.slice(0, 20)) console.error(sentence);
  process.exit(failed.length > 0 ? 1 : 0);
}

if (values.cluster) {
  const began = performance.now();
  const report = await clusterChaos({
    rounds: Number(values.rounds),
    stores: Number(values.stores) as 1 | 2 | 3,
    seed: Number(values.seed),
    firstFault: Number(values["first-fault"]),
    hasRightClocks: values["right-clocks"],
    faultMsMax: Number(values.longest) * 1_000,
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

/** Median, largest, and all values in ascending order. */
function summary(ms: readonly number[]): string {
  const sorted = ms.map((one) => Math.round(one)).sort((a, b) => a - b);
  return `median ${sorted[sorted.length >> 1]}, maximum ${sorted.at(-1)} ms (${sorted.join(", ")})`;
}
