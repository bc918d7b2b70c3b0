import { parentPort, workerData } from "node:worker_threads";
import { assert, limits } from "#base";
import { type Batch, type BatchDone, type JobResult, type ThreadData, unpackJobs } from "./jobs.ts";
import { runJob } from "./run-job.ts";

/** A render thread: runs the templates of tenants, and is ended from outside when one takes too long. */
assert(parentPort !== null, "this module runs in a worker");
const main = parentPort;
const { progress } = workerData as ThreadData;

// The first render of each engine takes longer than all others: not at the expense of a caller's template.
for (const engine of ["handlebars", "liquid"] as const)
  runJob({ type: "render", html: true, engine, subject: "{{ a }}", body: "<p>{{ a }}</p>", data: '{"a":1}' });

main.on("message", ({ jobs }: Batch) => {
  const untilMs = performance.now() + limits.renderTurnMs;
  const results: JobResult[] = [];
  for (const job of unpackJobs(jobs)) {
    if (results.length > 0 && performance.now() >= untilMs) break;
    Atomics.store(progress, 0, results.length);
    results.push(runJob(job));
  }
  Atomics.store(progress, 0, -1);
  main.postMessage({ results } satisfies BatchDone);
});
main.postMessage("ready");
