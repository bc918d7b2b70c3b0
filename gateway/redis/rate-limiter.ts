import type { Redis } from "ioredis";
import { systemClock } from "#base";
import type { RateLimiter } from "../calls/stages/token-bucket.ts";
import { connectRedis, type RedisSettings } from "./connection.ts";
import { type Granted, leasedRateLimiter, type Wish } from "./leases.ts";

/** Buckets that all threads of all nodes share; each thread takes some tokens at a time. */
export async function redisRateLimiter(options: {
  readonly settings: RedisSettings;
  readonly onChange: (isUp: boolean, cause?: string) => void;
}): Promise<RateLimiter & { readonly isUp: boolean; close(): void }> {
  const probe = (client: Redis) =>
    lease(client, [{ name: "probe", tokensPerSecond: 1, needed: 1, wanted: 1 }]);
  const connection = await connectRedis({ ...options, probe });
  const { take } = leasedRateLimiter(systemClock, (wishes) =>
    connection.run((client) => lease(client, wishes)),
  );
  return {
    get isUp() {
      return connection.isUp;
    },
    close: () => connection.close(),
    take,
  };
}

async function lease(client: Redis, wishes: readonly Wish[]): Promise<Granted> {
  if (!("leaseTokens" in client)) client.defineCommand("leaseTokens", { lua: leaseTokens });
  const scripted = client as unknown as Record<"leaseTokens", (...args: unknown[]) => Promise<Answer>>;
  const [refused, retryAfterMs, ...numbers] = await scripted.leaseTokens(
    wishes.length,
    ...wishes.map(({ name }) => keyOf(name)),
    ...wishes.flatMap(({ tokensPerSecond, needed, wanted }) => [tokensPerSecond, needed, wanted]),
  );
  return {
    ...(refused > 0 && { refused: refused - 1 }),
    retryAfterMs,
    buckets: wishes.map((_, i) => ({ granted: numbers[2 * i]!, left: numbers[2 * i + 1]! })),
  };
}

/** The number of the bucket that refused, or 0; when to ask again; of each bucket what it gave and what it has left. */
type Answer = readonly [refused: number, retryAfterMs: number, ...numbers: number[]];

/** The buckets of one method are on one node of a Redis cluster: a script sees no other. */
function keyOf(bucket: string): string {
  const [method, ...tenant] = bucket.split("/");
  return `rate:{${method}}${tenant.map((id) => `/${id}`).join("")}`;
}

/**
 * The same bucket as in a thread's memory, kept as one number: when it will be full again, in microseconds of Redis's own
 * clock, counted from 2024 so that fractions of one still fit. A full one is no key at all. All buckets are looked at
 * before any is taken from, and nothing runs in between. Each gives what is needed, and of what is wanted beyond that
 * whole tokens, as far as it has them; where one has less than is needed, none gives anything.
 */
const leaseTokens = `
local time = redis.call('TIME')
local now = (time[1] - 1704067200) * 1000000 + time[2]
local rounding = 0.000001
local fulls, lefts, refused = {}, {}, 0
local least = math.huge
for i, key in ipairs(KEYS) do
  local rate, needed = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1])
  local interval = 1000000 / rate
  local burst = math.max(rate, needed)
  local full = tonumber(redis.call('GET', key) or now)
  fulls[i] = math.min(math.max(full, now), now + burst * interval)
  lefts[i] = burst - (fulls[i] - now) / interval + rounding
  if lefts[i] < needed and lefts[i] < least then refused, least = i, lefts[i] end
end
local answer = {refused, 0}
for i, key in ipairs(KEYS) do
  local interval = 1000000 / tonumber(ARGV[3 * i - 2])
  local needed, wanted = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local granted = 0
  if refused == i then
    answer[2] = math.ceil((needed - lefts[i]) * interval / 1000)
  elseif refused == 0 then
    granted = math.max(needed, math.min(wanted, math.floor(lefts[i])))
    if granted > 0 then
      local full = fulls[i] + granted * interval
      redis.call('SET', key, string.format('%.3f', full), 'PX', math.ceil((full - now) / 1000) + 1)
    end
  end
  answer[2 * i + 1] = granted
  answer[2 * i + 2] = math.floor(lefts[i] - granted)
end
return answer
`;
