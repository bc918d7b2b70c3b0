/**
 * The built service with faults that its parent may trigger: `{ fault: "throw" | "block" | "block_body" | "terminate",
 * worker }`. The product does not know of it: this file records every thread that the process starts, and each worker
 * first loads a module that waits for the order to throw or to block. Started with the arguments of the command line.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";
import { BroadcastChannel, type Worker, type WorkerOptions } from "node:worker_threads";

export interface Order {
  /** `block_body`: it blocks in a microtask of the next request body, so inside a callback of the HTTP server. */
  readonly fault: "throw" | "block" | "block_body" | "terminate";
  readonly worker: number;
}

const threads = createRequire(import.meta.url)("node:worker_threads") as { Worker: typeof Worker };
const workers = new Map<number, Worker>();

threads.Worker = class extends threads.Worker {
  constructor(module: string | URL, options: WorkerOptions = {}) {
    const bootstrap = (options.workerData as { runtime?: { worker: number } } | undefined)?.runtime;
    const isService = String(module).endsWith("/gateway/process/worker.js");
    super(isService ? withListener(String(module)) : module, { ...options, execArgv: [] });
    if (isService && bootstrap !== undefined) workers.set(bootstrap.worker, this);
  }
};
syncBuiltinESMExports();

const orders = new BroadcastChannel("faults");
process.on("message", (order: Order) => {
  if (order.fault === "terminate") workers.get(order.worker)?.terminate().catch(console.error);
  else orders.postMessage(order);
});
// Neither may keep a process alive that was told to stop.
process.channel?.unref();
orders.unref();

/** Loads a module that throws or blocks for ever on order, and then the worker's own module. */
function withListener(module: string): URL {
  const code = `
    import { BroadcastChannel, workerData } from "node:worker_threads";
    const orders = new BroadcastChannel("faults");
    orders.onmessage = ({ data: { fault, worker } }) => {
      if (worker !== workerData.runtime.worker) return;
      if (fault === "throw") setImmediate(() => { throw new Error("a fault on order"); });
      if (fault === "block_body") {
        const from = Buffer.from;
        Buffer.from = (...parts) => {
          if (new Error().stack.includes("/gateway/http/body")) queueMicrotask(() => { for (;;); });
          return from.apply(Buffer, parts);
        };
      }
      while (fault === "block");
    };
    orders.unref();
    await import(${JSON.stringify(module)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const cli = new URL("../../dist/cli/service.js", import.meta.url);
await import(cli.href);
