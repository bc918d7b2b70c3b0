import type { Logger } from "pino";
import { systemClock } from "#base";
import { localRateLimiter, type RateLimiter } from "../calls/stages/token-bucket.ts";
import type { Config } from "../config/index.ts";
import { redisSettings } from "../settings.ts";
import type { Metrics } from "../telemetry/index.ts";

/** What counts the calls of this thread; absent: nothing does. */
export interface OpenRateLimiter {
  readonly rateLimiter?: RateLimiter;
  close(): void;
}

/** The code that speaks to Redis is loaded only where one is configured. */
export async function openRateLimiter(
  config: Config,
  log: Logger,
  metrics: Metrics,
): Promise<OpenRateLimiter> {
  const backend = config["ratelimit.backend"];
  switch (backend) {
    case "none":
      return { close: () => undefined };
    case "local":
      return { rateLimiter: localRateLimiter(systemClock), close: () => undefined };
    case "redis": {
      const { redisRateLimiter } = await import("../redis/index.ts");
      const limiter = await redisRateLimiter({
        settings: redisSettings(config),
        onChange: (isUp, cause) => {
          if (isUp) log.warn("Redis answers again: limits are shared");
          else log.warn({ cause, fail_mode: config["ratelimit.fail_mode"] }, "Redis cannot be reached");
        },
      });
      metrics.gauge("service_redis_threads_connected", {}, () => (limiter.isUp ? 1 : 0));
      return { rateLimiter: counted(limiter, metrics), close: () => limiter.close() };
    }
  }
}

function counted(limiter: RateLimiter, metrics: Metrics): RateLimiter {
  return {
    take(buckets, cost) {
      const taken = limiter.take(buckets, cost);
      if (!(taken instanceof Promise)) return taken;
      return taken.catch((error) => {
        metrics.add("service_redis_failures_total");
        throw error;
      });
    },
  };
}
