// What do table reads, scans and checkpoints of the embedded engine cost?
import { randomBytes } from "node:crypto";
import { encodeTuple, Random } from "#base";
import { attachStorage, type RowChange, type Storage, startStorage } from "#storage";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const rowCount = 200_000;
const partition = encodeTuple(["queue", "tenant", "pool", "items"]);
const value = randomBytes(200);

export default defineBench({
  question: "What do table reads, scans and checkpoints of the embedded engine cost (200,000 rows of 200 B)?",
  contenders: {
    reads: () =>
      withRows(async (storage) => ({
        gets_per_s: await gets(storage),
        rows_read_per_s: await getMany(storage),
      })),
    scans: () =>
      withRows(async (storage) => ({
        scans_of_100_per_s: await scans(storage, false),
        reverse_scans_of_100_per_s: await scans(storage, true),
      })),
    checkpoints: () =>
      withRows(async (storage) => ({
        rows_per_s_in_1000: await checkpoints(storage, 1_000),
        rows_per_s_in_10000: await checkpoints(storage, 10_000),
        transactions_of_1_row_per_s: await checkpoints(storage, 1),
      })),
  },
});

function withRows(measure: (storage: Storage) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const storage = await attachStorage(host.bootstrap(0).data);
    for (let from = 0; from < rowCount; from += 20_000)
      await storage.tables.write([
        { shard: 1, deletedRanges: [], changes: rows(from, 20_000), watermark: from + 1 },
      ]);
    const stats = await measure(storage);
    await storage.close();
    await host.close();
    return stats;
  });
}

function rows(from: number, count: number): RowChange[] {
  return Array.from({ length: count }, (_, i) => ({
    partition,
    key: encodeTuple([from + i]),
    value,
    seq: 1,
  }));
}

function gets({ tables }: Storage): Promise<number> {
  const random = new Random("gets");
  return perSecond(100_000, 1_000, async (count) => {
    for (let i = 0; i < count; i++) {
      const found = await tables.get({ shard: 1, partition, key: encodeTuple([random.int(rowCount)]) });
      if (found?.length !== value.length) throw new Error("a row is missing");
    }
  });
}

function getMany({ tables }: Storage): Promise<number> {
  const random = new Random("getMany");
  return perSecond(200_000, 100, async (count) => {
    const keys = Array.from({ length: count }, () => ({
      shard: 1,
      partition,
      key: encodeTuple([random.int(rowCount)]),
    }));
    if ((await tables.getMany(keys)).includes(undefined)) throw new Error("a row is missing");
  });
}

async function scans({ tables }: Storage, reverse: boolean): Promise<number> {
  const random = new Random("scans");
  return perSecond(5_000, 1, async () => {
    const from = encodeTuple([random.int(rowCount - 200)]);
    const to = encodeTuple([rowCount]);
    const found = await tables.scan({ shard: 1, partition, from, to, limit: 100, reverse });
    if (found.length !== 100) throw new Error("a scan is short");
  });
}

async function checkpoints({ tables }: Storage, size: number): Promise<number> {
  const random = new Random("checkpoints");
  let watermark = rowCount;
  const transactions = size === 1 ? 300 : 30;
  const perTransaction = await perSecond(transactions, 1, async () => {
    const keys = new Set(Array.from({ length: size }, () => random.int(rowCount)));
    const changes = [...keys].map((key) => ({ partition, key: encodeTuple([key]), value, seq: ++watermark }));
    await tables.write([{ shard: 1, deletedRanges: [], changes, watermark }]);
  });
  return perTransaction * size;
}

/** Runs `work` in steps until `total` is done, after a tenth of it as warm-up. */
async function perSecond(
  total: number,
  step: number,
  work: (count: number) => Promise<void>,
): Promise<number> {
  for (let done = 0; done < total / 10; done += step) await work(step);
  const start = performance.now();
  for (let done = 0; done < total; done += step) await work(step);
  return total / ((performance.now() - start) / 1_000);
}
