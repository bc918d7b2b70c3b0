/** A thread that reads tables and appends without end, until it is terminated. Started by threads.test.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { attachStorage } from "#storage";

const { bootstrap, shard } = workerData as { bootstrap: unknown; shard: number };
const { journal, tables } = await attachStorage(bootstrap);
const [owner] = await journal.open([shard], 1);
const first = owner!.head + 1;
let head = owner!.head;
const partition = "p";
for (;;) {
  for (let i = 0; i < 20; i++) await tables.scan({ shard: 1, partition, limit: 50, reverse: i % 2 === 0 });
  await journal.append({ ...owner!, firstSeq: head + 1, entries: [Buffer.from(`${head + 1}`)] });
  if (++head === first) parentPort!.postMessage("stored");
  const changes = [{ partition, key: `k${head % 100}`, value: Buffer.from(`${head}`), seq: head }];
  void tables.write([{ shard, deletedRanges: [], changes, watermark: head }]);
}
