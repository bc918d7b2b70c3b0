// What does the Redis-backed rate limiter cost a durable route?
import { RedisServer } from "../test/support/redis.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { keepAliveLoad, type Target } from "./support/keep-alive.ts";
import { median } from "./support/result.ts";
import { type BenchService, startService } from "./support/service.ts";

const connections = 64;
const turns = 9;
const seconds = 2;
const warmSeconds = 15;
const body = JSON.stringify({ key: "customer-17", attributes: { region: "eu", tier: "gold" } });

export default defineBench({
  question: "How fast is a durable route whose tokens are leased from Redis, against one without limits?",
  needs: ["redis"],
  contenders: { limited: compare },
  bars: [{ figure: "ratio", contender: "limited", atLeast: 0.9 }],
});

/** Both services run side by side and are asked in turns, so that other load on the machine affects both alike. */
function compare(): Promise<Stats> {
  return inFolder((openDir) =>
    inFolder(async (limitedDir) => {
      const redis = new RedisServer();
      await redis.start();
      const open = await startService(openDir);
      const limited = await startService(limitedDir, [
        "ratelimit.backend=redis",
        `redis.url=${redis.url}`,
        "ratelimit.global_rps=10000000",
        "ratelimit.tenant_rps=10000000",
      ]);
      const [without, withLimit] = [await targetOf(open), await targetOf(limited)];
      for (const target of [without, withLimit]) await keepAliveLoad(target, connections, warmSeconds);
      const runs: { readonly without: Stats; readonly withLimit: Stats }[] = [];
      for (let turn = 0; turn < turns; turn++)
        runs.push({
          without: await keepAliveLoad(without, connections, seconds),
          withLimit: await keepAliveLoad(withLimit, connections, seconds),
        });
      await open.stop();
      await limited.stop();
      await redis.remove();
      return {
        ratio: median(runs.map((run) => run.withLimit.per_s! / run.without.per_s!)),
        cpu_ratio: median(runs.map((run) => run.without.server_cpu_us! / run.withLimit.server_cpu_us!)),
        without_per_s: median(runs.map((run) => run.without.per_s!)),
        limited_per_s: median(runs.map((run) => run.withLimit.per_s!)),
      };
    }),
  );
}

async function targetOf(service: BenchService): Promise<Target> {
  const pool = await service.createPool(100, {});
  return { pid: service.pid, port: service.ports.http, path: `/api/pools/${pool}:route`, body, headers: {} };
}
