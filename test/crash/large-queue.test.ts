import test from "ava";
import { limits } from "#base";
import { cassandraMissing } from "../support/cassandra.ts";
import { startCassandra } from "./cassandra.ts";
import { fillQueue } from "./large-queue.ts";

const missing = cassandraMissing();
const onCassandra = missing === undefined ? test : test.skip;

/** `LARGE_QUEUE_ITEMS=200000` fills a tenth of two million; `npm run chaos -- --items 2000000` all of them, in partitions of 64 MiB. */
const items = Number(process.env.LARGE_QUEUE_ITEMS ?? 8_000);
/** As 64 MiB are to two million items, but not below the least that can be set. */
const partitionBytes = Math.max(1_024 ** 2, Math.floor((limits.cassandraBucketBytesMax * items) / 2_000_000));
/** As 256 MB are to 64 MiB. */
const partitionBytesMax = partitionBytes * (256e6 / limits.cassandraBucketBytesMax);

onCassandra(
  "a queue of 1 KB items is filled as fast as it goes: no partition is above four times its size (256 MB in service), and the next start lists all items in order",
  async (t) => {
    t.timeout(900_000);
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    const { settings, storage } = cassandra;
    const report = await fillQueue({
      items,
      payloadBytes: 1_000,
      settings: [...settings, `storage.cassandra.partition_size=${partitionBytes}`],
      storage,
    });
    t.log(`${report.items} items, ${report.partitions} partitions, the largest ${report.largestBytes} bytes`);
    t.deepEqual(report.broken, []);
    t.true(report.items >= items);
    t.true(report.largestBytes <= partitionBytesMax, `${report.largestBytes} bytes`);
  },
);
