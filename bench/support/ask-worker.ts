/** A worker of the bench of asks between threads: worker 0 asks entities that live in worker 1. */
import { parentPort, workerData } from "node:worker_threads";
import { limits } from "#base";
import { startWorkerRuntime } from "#runtime";
import { shardOf } from "../../runtime/placement.ts";
import { counter, counterAsk } from "./counter.ts";

const { inFlight, seconds } = workerData.app as { inFlight: number; seconds: number };
const runtime = await startWorkerRuntime(workerData, [counter]);
if (runtime.worker === 0) {
  const asks = Array.from({ length: 1_000 }, (_, i) => counterAsk("Counter.Read", `counter-${i}`)).filter(
    (ask) => shardOf(ask.to, "key", limits.shardCount) % 2 === 1,
  );
  let answered = 0;
  let refused = 0;
  const ask = (i: number) => {
    runtime.post(asks[i % asks.length]!, (answer) => {
      if ("refused" in answer) {
        refused++;
        setTimeout(() => ask(i), 10);
      } else {
        answered++;
        ask(i);
      }
    });
  };
  for (let i = 0; i < inFlight; i++) ask(i);
  setTimeout(() => {
    const begin = performance.now();
    const before = answered;
    setTimeout(() => {
      parentPort!.postMessage({
        per_s: ((answered - before) / (performance.now() - begin)) * 1_000,
        refused,
      });
    }, seconds * 1_000);
  }, 1_500);
}
