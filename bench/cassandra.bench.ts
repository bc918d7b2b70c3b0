// How many conditional writes does Cassandra need per durable record when it is saturated?
import { setTimeout as sleep } from "node:timers/promises";
import { attachStorage, migrateStorage, startStorage } from "#storage";
import { startCassandraNodes } from "../test/support/cassandra.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { GroupCommit } from "./support/group-commit.ts";
import { closedLoop } from "./support/load.ts";

const seconds = 8;
const trimEveryMs = 2_000;
const record = Buffer.alloc(256, 7);

export default defineBench({
  question:
    "How many conditional writes does Cassandra need per durable record of 256 B, on 8 active shards and on all 256?",
  needs: ["cassandra"],
  contenders: {
    "8 shards, 2,048 in flight": () => saturate(8, 2_048),
    "256 shards, 4,096 in flight": () => saturate(256, 4_096),
    "1 shard, 1 in flight": () => saturate(1, 1),
  },
  rounds: 3,
  bars: [{ figure: "conditional_writes_per_record", contender: "8 shards, 2,048 in flight", atMost: 0.02 }],
});

/** One Cassandra node on the same machine, so the server uses part of the cores. Trims run as in production. */
async function saturate(shardCount: number, inFlight: number): Promise<Stats> {
  const cluster = await startCassandraNodes();
  try {
    const settings = { engine: "cassandra", ...cluster.settings("bench") } as const;
    await migrateStorage(settings);
    const host = await startStorage(settings, () => {});
    const storage = await attachStorage(host.bootstrap(0).data);
    const owners = await storage.journal.open(
      Array.from({ length: shardCount }, (_, shard) => shard),
      1,
    );
    const shards = owners.map((owner) => new GroupCommit((batch) => storage.journal.append(batch), owner));
    let trims = 0;
    let running = true;
    const trimming = (async () => {
      while (running) {
        await sleep(trimEveryMs);
        const marks = shards.map((shard) => shard.head);
        await storage.tables.write(
          owners.map(({ shard }, at) => ({ shard, deletedRanges: [], changes: [], watermark: marks[at]! })),
        );
        await Promise.all(
          owners.map(({ shard, epoch }, at) => storage.journal.trim(shard, epoch, marks[at]!)),
        );
        trims += owners.length;
      }
    })();
    const stats = await closedLoop(inFlight, seconds, (client) =>
      shards[client % shardCount]!.submit(record),
    );
    running = false;
    await trimming;
    const records = shards.reduce((sum, shard) => sum + shard.head, 0);
    const batches = shards.reduce((sum, shard) => sum + shard.batches, 0);
    for (const { shard, head } of await storage.journal.open(
      owners.map(({ shard }) => shard),
      1,
    ))
      if (head !== shards[shard]!.head)
        throw new Error(`shard ${shard} is at ${head}, acknowledged ${shards[shard]!.head}`);
    await storage.close();
    await host.close();
    return {
      ...stats,
      records_per_batch: records / batches,
      conditional_writes_per_record: (batches + trims) / records,
    };
  } finally {
    await cluster.stop();
  }
}
