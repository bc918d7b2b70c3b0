// With a million durable timers pending, how late do those fire that come due under half load?
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Stats } from "./support/bench.ts";
import { counterAsk, late } from "./support/counter.ts";
import { withRuntime } from "./support/runtime.ts";

const pending = 1_000_000;
const seconds = 20;
/** Timers that come due per second while asks go on. */
const duePerSecond = 2_000;

export default defineBench({
  question: "With a million durable timers pending, how late do those fire that come due under half load?",
  contenders: { runtime },
  rounds: 1,
  bars: [{ figure: "late_p99_ms", contender: "runtime", atMost: 50 }],
});

function runtime(): Promise<Stats> {
  return withRuntime(async (system) => {
    const far = Date.now() + 3_600_000;
    await setAll(pending, (i) =>
      system.ask(counterAsk("Counter.Ring", `counter-${i % 10_000}`, { id: `t${i}`, dueMs: far + i })),
    );
    // Set well before the first is due.
    const start = Date.now() + 15_000;
    await setAll(duePerSecond * seconds, (i) => {
      const dueMs = Math.round(start + (i / duePerSecond) * 1_000);
      return system.ask(counterAsk("Counter.Ring", `near-${i % 1_000}`, { id: `n${i}@${dueMs}`, dueMs }));
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
    late.sort((a, b) => a - b);
    const at = (share: number) => late[Math.floor((late.length - 1) * share)] ?? Number.NaN;
    return { fired: late.length, late_p50_ms: at(0.5), late_p99_ms: at(0.99), late_max_ms: at(1) };
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
