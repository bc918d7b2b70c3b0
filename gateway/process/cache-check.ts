import type { Config } from "../config/index.ts";
import { redisSettings } from "../settings.ts";

export interface CacheCheck {
  /** Asked anew every time. */
  answers(): Promise<boolean>;
  close(): void;
}

/** For readiness: a connection of the main thread's own. Absent where no Redis is configured. */
export async function openCacheCheck(config: Config): Promise<CacheCheck | undefined> {
  if (config["ratelimit.backend"] !== "redis") return undefined;
  const { connectRedis } = await import("../redis/index.ts");
  const connection = await connectRedis({
    settings: { ...redisSettings(config), timeoutMs: answerMsMax },
    probe: (client) => client.ping(),
    // The threads that use it say in the log what became of it.
    onChange: () => undefined,
  });
  return {
    answers: () =>
      connection
        .run((client) => client.ping())
        .then(
          () => true,
          () => false,
        ),
    close: () => connection.close(),
  };
}

/** Below the bound of the whole page. */
const answerMsMax = 500;
