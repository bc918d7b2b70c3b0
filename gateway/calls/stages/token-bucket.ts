import { type Clock, limits } from "#base";

export interface RateLimiter {
  /**
   * Takes `cost` tokens from every bucket, or none from any: a caller that one bucket refuses must not empty the others.
   * A limiter elsewhere (Redis) answers by promise, and rejects while it cannot be asked.
   */
  take(buckets: readonly RateBucket[], cost: number): Taken | Promise<Taken>;
}

/** Holds one second's worth of tokens, so a burst of that size passes; a call that costs more waits for a full one. */
export interface RateBucket {
  readonly name: string;
  readonly tokensPerSecond: number;
}

/** Of the bucket that refused or, if none did, of the one with the least left. */
export interface Taken {
  readonly allowed: boolean;
  readonly tokensPerSecond: number;
  /** Whole tokens left. */
  readonly remaining: number;
  readonly retryAfterMs: number;
}

/** Buckets in this thread's memory. */
export function localRateLimiter(clock: Clock): RateLimiter {
  const levels = new Map<string, Level>();

  return {
    take(buckets, cost) {
      const nowMs = clock.monotonic();
      const found = buckets.map((bucket) => levelOf(bucket, cost, nowMs));
      const refused = tightest(buckets, found, (level) => level.tokens < cost);
      if (refused !== undefined) {
        const { level, tokensPerSecond } = refused;
        const retryAfterMs = Math.ceil(((cost - level.tokens) / tokensPerSecond) * 1_000);
        return { allowed: false, tokensPerSecond, remaining: Math.floor(level.tokens), retryAfterMs };
      }
      for (const level of found) level.tokens -= cost;
      const { level, tokensPerSecond } = tightest(buckets, found, () => true)!;
      return { allowed: true, tokensPerSecond, remaining: Math.floor(level.tokens), retryAfterMs: 0 };
    },
  };

  function levelOf({ name, tokensPerSecond }: RateBucket, cost: number, nowMs: number): Level {
    const level = refilled(levels.get(name), nowMs, tokensPerSecond, Math.max(tokensPerSecond, cost));
    // Set again, so that the order of the map is the order of use and the first one is the least used.
    levels.delete(name);
    levels.set(name, level);
    if (levels.size > limits.rateBucketsMax) levels.delete(levels.keys().next().value!);
    return level;
  }
}

interface Level {
  tokens: number;
  atMs: number;
}

function refilled(level: Level | undefined, nowMs: number, tokensPerSecond: number, burst: number): Level {
  if (level === undefined) return { tokens: burst, atMs: nowMs };
  level.tokens = Math.min(burst, level.tokens + ((nowMs - level.atMs) / 1_000) * tokensPerSecond);
  level.atMs = nowMs;
  return level;
}

function tightest(
  buckets: readonly RateBucket[],
  levels: readonly Level[],
  counts: (level: Level) => boolean,
): { level: Level; tokensPerSecond: number } | undefined {
  let found: { level: Level; tokensPerSecond: number } | undefined;
  for (const [i, level] of levels.entries())
    if (counts(level) && (found === undefined || level.tokens < found.level.tokens))
      found = { level, tokensPerSecond: buckets[i]!.tokensPerSecond };
  return found;
}
