import type { HttpResponse, Page } from "../http/server.ts";
import { operationsPaths } from "./paths.ts";
import type { Readiness } from "./readiness.ts";

/** What the pages show; in a worker both are asked of the main thread. */
export interface Operations {
  readiness(): Promise<Readiness>;
  /** Prometheus text over all threads. */
  metrics(): Promise<string>;
}

/** Health, readiness and metrics by path, aliases included. None of them needs credentials. */
export function operationsPages(operations: Operations): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>();
  for (const path of operationsPaths.health) pages.set(path, () => healthy);
  for (const path of operationsPaths.ready) pages.set(path, () => ready(operations));
  for (const path of operationsPaths.metrics) pages.set(path, () => metrics(operations));
  return pages;
}

const jsonHeaders = [
  ["content-type", "application/json"],
  ["cache-control", "no-store"],
] as const;

/** Says that this thread answers, and nothing about what it depends on. */
const healthy: HttpResponse = { status: 200, headers: jsonHeaders, body: '{"status":"ok"}' };

async function ready(operations: Operations): Promise<HttpResponse> {
  const readiness = await operations.readiness().catch(() => undefined);
  if (readiness === undefined)
    return { status: 503, headers: jsonHeaders, body: '{"ready":false,"status":"not_ready"}' };
  return { status: readiness.ready ? 200 : 503, headers: jsonHeaders, body: JSON.stringify(readiness) };
}

async function metrics(operations: Operations): Promise<HttpResponse> {
  const text = await operations.metrics().catch(() => undefined);
  return {
    status: text === undefined ? 503 : 200,
    headers: [
      ["content-type", "text/plain; version=0.0.4; charset=utf-8"],
      ["cache-control", "no-store"],
    ],
    body: text ?? "# the figures could not be collected; the log says why\n",
  };
}
