// With a million durable timers pending, how late do those fire that come due under half load?
import { setTimeout as sleep } from "node:timers/promises";
import { latencyBucketsMs } from "#runtime";
import { defineBench, type Figures } from "./support/bench.ts";
import { counterAsk } from "./support/counter.ts";
import { withRuntime } from "./support/runtime.ts";

const pending = 1_000_000;
const seconds = 20;
/** Timers a second that come due while asks go on. */
const duePerSecond = 2_000;

export default defineBench({
  question: "With a million durable timers pending, how late do those fire that come due under half load?",
  contenders: { runtime },
  rounds: 1,
  bars: [{ figure: "late_p99_ms", contender: "runtime", atMost: 50 }],
});

function runtime(): Promise<Figures> {
  return withRuntime(async (system) => {
    const far = Date.now() + 3_600_000;
    await setAll(pending, (i) =>
      system.ask(counterAsk("Counter.Ring", `counter-${i % 10_000}`, { id: `t${i}`, dueMs: far + i })),
    );
    // Set well before the first is due.
    const start = Date.now() + 15_000;
    await setAll(duePerSecond * seconds, (i) => {
      const dueMs = Math.round(start + (i / duePerSecond) * 1_000);
      return system.ask(counterAsk("Counter.Ring", `near-${i % 1_000}`, { id: `n${i}`, dueMs }));
    });
    if (Date.now() > start) throw new Error("the timers could not be set in time");
    let running = true;
    const load = (async () => {
      while (running) {
        await Promise.all(
          Array.from({ length: 64 }, (_, i) => system.ask(counterAsk("Counter.Add", `load-${i}`))),
        );
        await sleep(4);
      }
    })();
    await sleep(Math.max(0, start + (seconds + 2) * 1_000 - Date.now()));
    running = false;
    await load;
    const [insight] = await system.insight();
    const buckets: number[] = new Array(latencyBucketsMs.length + 1).fill(0);
    let fired = 0;
    for (const shard of insight!.shards) {
      fired += shard.timersFired;
      shard.timerBuckets.forEach((count, bucket) => {
        buckets[bucket]! += count;
      });
    }
    return { fired, late_p50_ms: quantile(buckets, fired, 0.5), late_p99_ms: quantile(buckets, fired, 0.99) };
  });
}

async function setAll(count: number, set: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 512 }, async () => {
      while (next < count) await set(next++);
    }),
  );
}

/** The upper bound of the bucket in which the share lies. */
function quantile(buckets: readonly number[], total: number, share: number): number {
  let sum = 0;
  for (let bucket = 0; bucket < buckets.length; bucket++) {
    sum += buckets[bucket]!;
    if (sum >= total * share) return latencyBucketsMs[bucket] ?? Number.POSITIVE_INFINITY;
  }
  return Number.NaN;
}
