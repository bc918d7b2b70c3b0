import { setTimeout as sleep } from "node:timers/promises";
import { Switchyard } from "#sdk";

/** A worker in a process of its own: `url pool millisecondsOfWork`. It says a line for each thing that happens. */
const [url, pool, ms] = process.argv.slice(2);
const say = (what: string, id = "") => process.stdout.write(`${what} ${id}\n`);
const sy = new Switchyard({ url: url! });
const worker = sy.worker(
  pool!,
  async (item, { signal }) => {
    say("begin", item.id);
    signal.addEventListener("abort", () => say("abort", item.id), { once: true });
    await sleep(Number(ms), undefined, { signal }).catch(() => {});
    if (!signal.aborted) say("end", item.id);
    return { by: process.pid };
  },
  { recipient: "worker", concurrency: 5, graceMs: 1_000, onError: (error) => say("error", error.message) },
);
say("started");
await worker.done;
say("stopped");
