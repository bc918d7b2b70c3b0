/**
 * Like `worker.ts`, but the first worker starts slowly; meanwhile the second one ends as soon as it has started, and
 * then fails to start once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";

const { runtime, app: starts } = workerData;
if (runtime.worker === 0) while (Atomics.load(starts, 0) < 2) await sleep(20);
const earlier = runtime.worker === 1 ? Atomics.add(starts, 0, 1) : 0;
if (earlier === 1) throw new Error("the second worker does not come up again");
await import("./worker.ts");
if (runtime.worker === 1 && earlier === 0) throw new Error("the second worker ends");
