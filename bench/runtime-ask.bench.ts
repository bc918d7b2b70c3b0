// How many asks a second does one thread answer from memory, next to nact's query?
import { dispatch, query, spawnStateless, start, stop } from "nact";
import { limits } from "#base";
import { startRuntime, systemWorld } from "#runtime";
import { openMemory } from "../storage/memory/index.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { counter, counterAsk } from "./support/counter.ts";

const inFlight = 256;
const seconds = 3;

export default defineBench({
  question: "How many asks a second does one thread answer from memory, next to nact's query?",
  contenders: { runtime, nact },
  rounds: 5,
  bars: [
    { figure: "asks_per_s", contender: "runtime", atLeast: 1_000_000 },
    { figure: "asks_per_s", contender: "runtime", against: "nact", atLeast: 4 },
  ],
});

async function runtime(): Promise<Stats> {
  const system = await startRuntime({
    storage: openMemory(),
    shards: Array.from({ length: limits.shardCount }, (_, shard) => shard),
    definitions: [counter],
    world: systemWorld(),
  });
  const asks = Array.from({ length: 64 }, (_, i) => counterAsk("Counter.Read", `counter-${i}`));
  const stats = await measure((i) => system.ask(asks[i & 63]!));
  system.stop();
  return stats;
}

async function nact(): Promise<Stats> {
  const system = start();
  const actors = Array.from({ length: 64 }, () =>
    spawnStateless(system, (message: { sender: Parameters<typeof dispatch>[0] }) => {
      dispatch(message.sender, { count: 0 });
    }),
  );
  const stats = await measure((i) => query(actors[i & 63]!, (sender) => ({ sender }), 10_000));
  stop(system);
  return stats;
}

/** Rounds of `inFlight` asks at once, after a warm-up; the median round of ten. */
async function measure(ask: (i: number) => Promise<unknown>): Promise<Stats> {
  const rates: number[] = [];
  for (let slice = 0; slice < 11; slice++) {
    const begin = performance.now();
    let count = 0;
    while (performance.now() - begin < (seconds * 1_000) / 10) {
      const answers: Promise<unknown>[] = [];
      for (let i = 0; i < inFlight; i++) answers.push(ask(i));
      await Promise.all(answers);
      count += inFlight;
    }
    if (slice > 0) rates.push(count / ((performance.now() - begin) / 1_000));
  }
  rates.sort((a, b) => a - b);
  return { asks_per_s: rates[5]! };
}
