/** Like `worker.ts`, but the second worker of a process fails to start. */
import { workerData } from "node:worker_threads";

if (workerData.runtime.worker === 1) throw new Error("the second worker does not come up");
await import("./worker.ts");
