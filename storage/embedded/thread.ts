import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * Starts a thread from its source file, or from what the build made of it. Node 20 does not hand a loader for
 * TypeScript on to threads, so from source the thread first registers one.
 */
export function startThread(source: URL, options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL(source.href.replace(/\.ts$/, ".js")), options);
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const code = `import { register } from ${loader}; register(); await import(${JSON.stringify(source.href)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}
