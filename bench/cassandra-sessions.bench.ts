// Should every worker have a session of its own with Cassandra, or should all go through the main thread's?
import { attachStorage, type JournalBatch, migrateStorage, startStorage } from "#storage";
import { startThread } from "../runtime/workers/start-thread.ts";
import { startCassandraNodes } from "../test/support/cassandra.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import type { WriterOrders } from "./support/cassandra-writer.ts";

const workers = 2;
const shardsPerWorker = 4;
const seconds = 6;

export default defineBench({
  question:
    "Should every worker have a session of its own with Cassandra, or should all go through the main thread?",
  needs: ["cassandra"],
  contenders: { "own sessions": () => measure(true), "through main": () => measure(false) },
  rounds: 3,
});

async function measure(ownSessions: boolean): Promise<Stats> {
  const cluster = await startCassandraNodes();
  try {
    const settings = { engine: "cassandra", ...cluster.settings("sessions") } as const;
    await migrateStorage(settings);
    const host = await startStorage(settings, () => {});
    const shared = ownSessions ? undefined : await attachStorage(host.bootstrap(0).data);
    const before = process.cpuUsage();
    const results = await Promise.all(
      Array.from({ length: workers }, async (_, index) => {
        const shards = Array.from({ length: shardsPerWorker }, (_, at) => index * shardsPerWorker + at);
        const opened = shared === undefined ? [] : await shared.journal.open(shards, 1);
        const orders: WriterOrders = {
          ...(ownSessions ? { bootstrap: host.bootstrap(index).data } : {}),
          shards,
          opened,
          inFlight: 1_024,
          seconds,
        };
        return await runWriter(orders, (batch) => shared!.journal.append(batch));
      }),
    );
    const { user, system } = process.cpuUsage(before);
    const perSecond = results.reduce((sum, stats) => sum + stats.per_s!, 0);
    return {
      per_s: perSecond,
      p50_ms: Math.max(...results.map((stats) => stats.p50_ms!)),
      p99_ms: Math.max(...results.map((stats) => stats.p99_ms!)),
      client_cpu_us_per_record: (user + system) / (perSecond * (seconds + 1)),
    };
  } finally {
    await cluster.stop();
  }
}

function runWriter(orders: WriterOrders, append: (batch: JournalBatch) => Promise<void>): Promise<Stats> {
  return new Promise((resolve, reject) => {
    const worker = startThread(new URL("./support/cassandra-writer.ts", import.meta.url), {
      workerData: orders,
    });
    worker.once("error", reject);
    worker.on(
      "message",
      (message: { type: "append"; id: number; batch: JournalBatch } | { type: "figures"; stats: Stats }) => {
        if (message.type === "append")
          append(message.batch).then(() => worker.postMessage(message.id), reject);
        else worker.terminate().then(() => resolve(message.stats), reject);
      },
    );
  });
}
