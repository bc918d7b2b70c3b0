// What does a range delete of a million rows cost the commits and checkpoints beside it?
import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeTuple } from "#base";
import { attachStorage, type Storage, startStorage } from "#storage";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";

const rowCount = 1_000_000;
const partition = encodeTuple(["queue", "tenant", "pool", "items"]);
const value = randomBytes(100);
const aloneMs = 5_000;

export default defineBench({
  question: "What does a range delete of 1,000,000 rows of 100 B cost the commits and checkpoints beside it?",
  contenders: {
    alone: () => withRows((storage) => live(storage, sleep(aloneMs))),
    beside_a_range_delete: () =>
      withRows(async (storage) => {
        const began = performance.now();
        const deletedRanges = [{ partition, seq: 2 }];
        const deleted = storage.tables.write([{ shard: 1, deletedRanges, changes: [], watermark: 2 }]);
        const stats = await live(storage, deleted);
        const left = await storage.tables.scan({ shard: 1, partition, limit: 1 });
        if (left.length > 0) throw new Error("rows are left");
        return { ...stats, delete_s: (performance.now() - began) / 1_000 };
      }),
  },
  bars: [{ figure: "checkpoint_max_ms", contender: "beside_a_range_delete", atMost: 250 }],
});

function withRows(measure: (storage: Storage) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const storage = await attachStorage(host.bootstrap(0).data);
    for (let from = 0; from < rowCount; from += 20_000) {
      const changes = Array.from({ length: 20_000 }, (_, i) => ({
        partition,
        key: encodeTuple([from + i]),
        value,
        seq: 1,
      }));
      await storage.tables.write([{ shard: 1, deletedRanges: [], changes, watermark: 1 }]);
    }
    const stats = await measure(storage);
    await storage.close();
    await host.close();
    return stats;
  });
}

/** Commits of another shard one after the other, and its checkpoints of 100 rows, until `end`. */
async function live({ journal, tables }: Storage, end: Promise<unknown>): Promise<Stats> {
  const [owner] = await journal.open([2], 1);
  const { shard, epoch } = owner!;
  let over = false;
  void end.then(() => {
    over = true;
  });
  const isOver = () => over;
  let head = owner!.head;
  let watermark = 0;
  const [commits, checkpoints] = await Promise.all([
    timed(isOver, () => journal.append({ shard, epoch, firstSeq: ++head, entries: [value] })),
    timed(isOver, () => {
      const seq = ++watermark;
      const changes = Array.from({ length: 100 }, (_, i) => ({
        partition,
        key: encodeTuple([i]),
        value,
        seq,
      }));
      return tables.write([{ shard, deletedRanges: [], changes, watermark: seq }]);
    }),
  ]);
  return {
    commit_p50_ms: at(commits, 0.5),
    commit_p99_ms: at(commits, 0.99),
    checkpoint_p99_ms: at(checkpoints, 0.99),
    checkpoint_max_ms: at(checkpoints, 1),
  };
}

/** The duration of each call, in ascending order; at least one. */
async function timed(isOver: () => boolean, call: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  do {
    const began = performance.now();
    await call();
    latencies.push(performance.now() - began);
  } while (!isOver());
  return latencies.sort((a, b) => a - b);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
