// What does it cost to hand each tick's commands to their shards as batches through nact, instead of directly?
import { limits } from "#base";
import { type Ask, type Runtime, startRuntime, systemWorld } from "#runtime";
import { shardOf } from "../runtime/placement.ts";
import { ShardTree } from "../runtime/workers/shard-tree.ts";
import { openMemory } from "../storage/memory/index.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { counter, counterAsk } from "./support/counter.ts";

const inFlight = 256;
const ticks = 4_000;

export default defineBench({
  question:
    "What does it cost to hand each tick's commands to their shards as batches through nact, instead of directly?",
  contenders: {
    direct_many_shards: () => measure(1_000, direct),
    nact_many_shards: () => measure(1_000, batched),
    direct_one_shard: () => measure(1, direct),
    nact_one_shard: () => measure(1, batched),
  },
  rounds: 5,
  bars: [],
});

/** Posts the asks of one tick and calls back when all are answered. */
type Post = (asks: readonly Ask[], answered: () => void) => void;

async function measure(entities: number, way: (runtime: Runtime) => Post): Promise<Stats> {
  const runtime = await startRuntime({
    storage: openMemory(),
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
    definitions: [counter],
    world: systemWorld(),
  });
  const asks = Array.from({ length: 4_096 }, (_, i) =>
    counterAsk("Counter.Read", `counter-${(i * 7) % entities}`),
  );
  const post = way(runtime);
  const tick = (at: number) =>
    new Promise<void>((resolve) => {
      let waiting = inFlight;
      const first = (at * inFlight) % asks.length;
      post(asks.slice(first, first + inFlight), () => {
        if (--waiting === 0) resolve();
      });
    });
  for (let at = 0; at < ticks / 4; at++) await tick(at);
  const begin = process.cpuUsage();
  const beginMs = performance.now();
  for (let at = 0; at < ticks; at++) await tick(at);
  const { user, system } = process.cpuUsage(begin);
  const seconds = (performance.now() - beginMs) / 1_000;
  runtime.stop();
  return { cpu_us: (user + system) / (ticks * inFlight), asks_per_s: (ticks * inFlight) / seconds };
}

function direct(runtime: Runtime): Post {
  return (asks, answered) => {
    for (const ask of asks) runtime.post(ask, answered);
  };
}

/** One message per shard and tick to the shard's actor, which takes the batch as the run queue would. */
function batched(runtime: Runtime): Post {
  const tree = new ShardTree();
  return (asks, answered) => {
    const batches = new Map<number, Ask[]>();
    for (const ask of asks) {
      const shard = shardOf(ask.to, "key", limits.shardCount);
      const batch = batches.get(shard);
      if (batch === undefined) batches.set(shard, [ask]);
      else batch.push(ask);
    }
    for (const [shard, batch] of batches)
      tree.run(
        shard,
        () => {
          for (const ask of batch) runtime.post(ask, answered);
        },
        () => undefined,
      );
  };
}
