import test from "ava";
import { operationsPages, readinessOf } from "./index.ts";

const healthy = {
  serving: () => true,
  storage: async () => ({ state: "healthy", detail: "" }) as const,
  queue: async () => ({ status: "healthy", detail: "" }) as const,
};

test("ready while everything is healthy, and not before the start is done or once draining", async (t) => {
  t.like(await readinessOf(healthy), { ready: true, status: "ready" });
  t.like(await readinessOf({ ...healthy, serving: () => false }), { ready: false, status: "not_ready" });
});

test("a degraded component keeps the instance in rotation, one that is gone does not", async (t) => {
  const full = { ...healthy, storage: async () => ({ state: "degraded", detail: "disk full" }) as const };
  t.like(await readinessOf(full), { ready: true, status: "degraded" });
  const gone = await readinessOf({
    ...healthy,
    storage: async () => ({ state: "gone", detail: "x" }) as const,
  });
  t.false(gone.ready);
  t.is(gone.components.database.status, "unhealthy");
});

test("a cache that is gone, hangs or fails is degraded and no worse; without one there is nothing to lose", async (t) => {
  const cacheOf = async (cache?: () => Promise<boolean>) =>
    readinessOf({ ...healthy, ...(cache && { cache }) }).then(({ ready, status, components }) => {
      t.true(ready);
      return `${status} ${components.cache.status}`;
    });
  t.is(await cacheOf(), "ready healthy");
  t.is(await cacheOf(async () => true), "ready healthy");
  for (const lost of [
    async () => false,
    () => Promise.reject(new Error("password=1")),
    () => new Promise<never>(() => undefined),
  ])
    t.is(await cacheOf(lost), "degraded degraded");
});

test("a check that hangs or throws is unhealthy and does not say why", async (t) => {
  const hanging = await readinessOf({ ...healthy, queue: () => new Promise(() => undefined) });
  t.deepEqual(hanging.components.queue, { status: "unhealthy", detail: "no answer in time" });
  const failing = await readinessOf({ ...healthy, storage: () => Promise.reject(new Error("password=1")) });
  t.deepEqual(failing.components.database, { status: "unhealthy", detail: "the check failed" });
});

test("every page has its two aliases", async (t) => {
  const pages = operationsPages({ readiness: () => readinessOf(healthy), metrics: async () => "text" });
  const names = ["health", "ready", "metrics"].flatMap((name) => [`/${name}`, `/${name}z`, `/${name}-z`]);
  t.deepEqual([...pages.keys()].sort(), names.sort());
  const gone = operationsPages({
    readiness: () => readinessOf({ ...healthy, serving: () => false }),
    metrics: async () => "",
  });
  t.is((await gone.get("/ready-z")!(undefined as never)).status, 503);
});

test("pages whose stats cannot be found out say so instead of hanging", async (t) => {
  const failing = () => Promise.reject(new Error("the main thread did not answer"));
  const pages = operationsPages({ readiness: failing, metrics: failing });
  const ready = await pages.get("/ready")!(undefined as never);
  t.is(ready.status, 503);
  t.like(JSON.parse(String(ready.body)), { ready: false, status: "not_ready" });
  t.is((await pages.get("/metrics")!(undefined as never)).status, 503);
});
