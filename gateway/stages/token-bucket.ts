import { type Clock, limits } from "#base";

export interface RateLimiter {
  /** Takes `cost` tokens, or none at all. A limiter elsewhere (Redis) answers by promise and may fail. */
  take(bucket: string, cost: number, tokensPerSecond: number): Taken | Promise<Taken>;
}

export interface Taken {
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  readonly retryAfterMs: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets in this thread's memory. A bucket holds one second's worth, so a burst of that size passes. */
export function localRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(name, cost, tokensPerSecond) {
      const nowMs = clock.monotonic();
      const burst = Math.max(tokensPerSecond, cost);
      const bucket = refilled(buckets.get(name), nowMs, tokensPerSecond, burst);
      // Set again, so that the order of the map is the order of use and the first one is the least used.
      buckets.delete(name);
      buckets.set(name, bucket);
      if (buckets.size > limits.rateBucketsMax) buckets.delete(buckets.keys().next().value!);
      if (bucket.tokens < cost) {
        const retryAfterMs = Math.ceil(((cost - bucket.tokens) / tokensPerSecond) * 1_000);
        return { allowed: false, remaining: Math.floor(bucket.tokens), retryAfterMs };
      }
      bucket.tokens -= cost;
      return { allowed: true, remaining: Math.floor(bucket.tokens), retryAfterMs: 0 };
    },
  };
}

function refilled(bucket: Bucket | undefined, nowMs: number, tokensPerSecond: number, burst: number): Bucket {
  if (bucket === undefined) return { tokens: burst, atMs: nowMs };
  bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * tokensPerSecond);
  bucket.atMs = nowMs;
  return bucket;
}
