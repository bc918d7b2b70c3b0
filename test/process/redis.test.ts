import test from "ava";
import { Redis } from "ioredis";
import { eventually } from "../support/eventually.ts";
import { casesNeeding } from "../support/needing.ts";
import { RedisServer } from "../support/redis.ts";
import { startDev } from "./support.ts";

casesNeeding("a service with Redis", ["redis"], cases);

function cases(): void {
  test.serial(
    "Redis is gone: calls are answered, /ready is degraded with status 200, and both recover",
    async (t) => {
      const redis = new RedisServer();
      await redis.start();
      t.teardown(() => redis.remove());
      const settings = [
        "ratelimit.backend=redis",
        "ratelimit.tenant_rps=100000",
        `redis.url=${redis.url}`,
        "redis.timeout=5s",
        "redis.key_prefix=test:",
        "server.workers=1",
      ];
      const service = await startDev(
        t,
        settings.flatMap((pair) => ["--set", pair]),
      );
      const get = (path: string) => fetch(`http://127.0.0.1:${service.ports.http}${path}`);
      const cache = async () => {
        const answer = await get("/ready");
        const body = (await answer.json()) as { components: { cache: { status: string } } };
        t.is(answer.status, 200);
        return body.components.cache.status;
      };
      const metric = async (name: string) => {
        const text = await (await get("/metrics")).text();
        return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
      };

      const watcher = new Redis(redis.url);
      watcher.on("error", () => undefined);
      t.teardown(() => watcher.disconnect());
      const seen = new Set<string>();
      await eventually("a call leaves its bucket in Redis", async () => {
        t.is((await get("/api/pools")).headers.get("x-ratelimit-limit"), "100000");
        for (const key of await watcher.keys("*")) seen.add(key);
        return [...seen].some((key) => key.startsWith("test:rate:{PoolService.ListPools}/")) || undefined;
      });
      t.is(await cache(), "healthy");
      t.is(await metric("service_redis_threads_connected"), 1);

      await redis.stop();
      await eventually("readiness says so", async () => ((await cache()) === "degraded" ? true : undefined));
      for (let i = 0; i < 5; i++) t.is((await get("/api/pools")).status, 200);
      // Tokens that a thread has leased last for a moment without Redis.
      await eventually("calls that Redis did not decide are counted", async () => {
        t.is((await get("/api/pools")).status, 200);
        return (await metric("service_redis_failures_total")) >= 5 || undefined;
      });
      t.is(await metric("service_redis_threads_connected"), 0);

      await redis.start();
      await eventually("readiness is healthy again", async () =>
        (await cache()) === "healthy" ? true : undefined,
      );
      await eventually("the thread uses it again", async () =>
        (await metric("service_redis_threads_connected")) === 1 ? true : undefined,
      );
      service.signal("SIGTERM");
      const { code, stderr } = await service.ended;
      t.is(code, 0, stderr);
      t.is(stderr.split("Redis cannot be reached").length, 2, "one line tells of the loss");
    },
  );
}
