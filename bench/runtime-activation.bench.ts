// How fast do entities come back from the tables, and what do a million known ones cost in memory?
import { defineBench, type Stats } from "./support/bench.ts";
import { counterAsk } from "./support/counter.ts";
import { withRuntime } from "./support/runtime.ts";

const known = 1_000_000;
const inFlight = 512;

export default defineBench({
  question:
    "How fast do entities come back from the tables, and what do a million known ones cost in memory?",
  contenders: { runtime },
  rounds: 1,
  bars: [
    { figure: "activations_per_s", contender: "runtime", atLeast: 20_000 },
    { figure: "rss_mib", contender: "runtime", atMost: 1_024 },
    { figure: "open_ms", contender: "runtime", atMost: 5_000 },
  ],
});

function runtime(): Promise<Stats> {
  return withRuntime(async (first, again) => {
    const create = await each(known, (i) => first.ask(counterAsk("Counter.Add", `counter-${i}`)));
    const { runtime: second, openMs } = await again();
    const sample = 200_000;
    const read = await each(sample, (i) => second.ask(counterAsk("Counter.Read", `counter-${i * 5}`)));
    const [stats] = await second.stats();
    return {
      created_per_s: known / create,
      activations_per_s: sample / read,
      resident: stats!.residentCells,
      rss_mib: process.memoryUsage().rss / 2 ** 20,
      open_ms: openMs,
    };
  });
}

/** Runs all tasks, some at a time; returns the seconds it took. */
async function each(count: number, run: (i: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) {
        const answer = (await run(next++)) as { refused?: boolean; detail?: string };
        if (answer.refused) throw new Error(answer.detail);
      }
    }),
  );
  return (performance.now() - begin) / 1_000;
}
