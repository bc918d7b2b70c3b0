import { Worker, type WorkerOptions } from "node:worker_threads";

/** Starts a worker from its module. Node 20 hands no TypeScript loader on to threads: from source one is registered first. */
export function startThread(module: URL, options: WorkerOptions): Worker {
  if (!module.href.endsWith(".ts")) return new Worker(module, options);
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const code = `import { register } from ${loader}; register(); await import(${JSON.stringify(module.href)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}
