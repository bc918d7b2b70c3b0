import type { Redis } from "ioredis";
import type { RateLimiter } from "../calls/stages/token-bucket.ts";
import { connectRedis, type RedisSettings } from "./connection.ts";

/** Buckets that all threads of all nodes share. */
export async function redisRateLimiter(options: {
  readonly settings: RedisSettings;
  readonly onChange: (isUp: boolean, cause?: string) => void;
}): Promise<RateLimiter & { readonly isUp: boolean; close(): void }> {
  const probe = (client: Redis) => take(client, [keyOf("probe")], [1, 1]);
  const connection = await connectRedis({ ...options, probe });
  return {
    get isUp() {
      return connection.isUp;
    },
    close: () => connection.close(),
    async take(buckets, cost) {
      const names = buckets.map(({ name }) => keyOf(name));
      const rates = buckets.map(({ tokensPerSecond }) => tokensPerSecond);
      const [allowed, index, remaining, retryAfterMs] = await connection.run((client) =>
        take(client, names, [cost, ...rates]),
      );
      return { allowed: allowed === 1, tokensPerSecond: rates[index - 1]!, remaining, retryAfterMs };
    },
  };
}

type Answer = readonly [allowed: 0 | 1, index: number, remaining: number, retryAfterMs: number];

function take(client: Redis, keys: readonly string[], numbers: readonly number[]): Promise<Answer> {
  if (!("takeTokens" in client)) client.defineCommand("takeTokens", { lua: takeTokens });
  const scripted = client as unknown as Record<"takeTokens", (...args: unknown[]) => Promise<Answer>>;
  return scripted.takeTokens(keys.length, ...keys, ...numbers);
}

/** The buckets of one method are on one node of a Redis cluster: a script sees no other. */
function keyOf(bucket: string): string {
  const [method, ...tenant] = bucket.split("/");
  return `rate:{${method}}${tenant.map((id) => `/${id}`).join("")}`;
}

/**
 * The same bucket as in a thread's memory, kept as one number: when it will be full again, in microseconds of Redis's own
 * clock, counted from 2024 so that fractions of one still fit. A full one is no key at all. All buckets are looked at
 * before any is taken from, and nothing runs in between.
 */
const takeTokens = `
local time = redis.call('TIME')
local now = (time[1] - 1704067200) * 1000000 + time[2]
local cost = tonumber(ARGV[1])
local rounding = 0.000001
local fulls, refused, tight = {}, 0, 0
local least = math.huge
for i, key in ipairs(KEYS) do
  local interval = 1000000 / tonumber(ARGV[i + 1])
  local burst = math.max(tonumber(ARGV[i + 1]), cost)
  local full = tonumber(redis.call('GET', key) or now)
  full = math.min(math.max(full, now), now + burst * interval)
  local left = burst - (full - now) / interval + rounding
  if left < cost then
    if refused == 0 or left < least then refused, least = i, left end
  elseif refused == 0 and left < least then
    tight, least = i, left
  end
  fulls[i] = full + cost * interval
end
if refused > 0 then
  local interval = 1000000 / tonumber(ARGV[refused + 1])
  return {0, refused, math.floor(least), math.ceil((cost - least) * interval / 1000)}
end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.3f', fulls[i]), 'PX', math.ceil((fulls[i] - now) / 1000) + 1)
end
return {1, tight, math.floor(least - cost), 0}
`;
