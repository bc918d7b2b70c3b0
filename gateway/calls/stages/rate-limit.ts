import { refusalError, systemClock } from "#base";
import type { Call } from "../call.ts";
import type { PipelineParts, PipelineSettings, Stage } from "./stage.ts";
import { localRateLimiter, type RateBucket, type Taken } from "./token-bucket.ts";

/**
 * A token bucket per method, for all tenants and for each one, whose record may have a rate of its own; a call takes as many
 * tokens as the contract says it costs. Without a limiter, and on the internal plane, everything passes.
 */
export function rateLimit({ plane, settings, providers }: PipelineParts): Stage {
  const limiter = providers.rateLimiter;
  if (plane === "internal" || limiter === undefined) return { name: "rate-limit", enter: () => undefined };
  const fallback = localRateLimiter(systemClock);

  return {
    name: "rate-limit",
    enter(call) {
      const buckets = bucketsOf(call, settings);
      if (buckets.length === 0) return undefined;
      const taken = limiter.take(buckets, call.method.rateCost);
      if (!(taken instanceof Promise)) return judge(call, taken);
      return taken.catch(() => instead(call, buckets)).then((late) => judge(call, late));
    },
  };

  /**
   * The limiter cannot be asked, which it has told the log. Open: this thread counts for itself meanwhile; a client that keeps
   * the limit in all keeps it here.
   */
  function instead(call: Call, buckets: readonly RateBucket[]): Taken | Promise<Taken> {
    if (settings.rateLimitFailMode === "open") return fallback.take(buckets, call.method.rateCost);
    throw refusalError("UNAVAILABLE", "the rate limiter cannot be reached", { retryAfterMs: 1_000 });
  }
}

function bucketsOf(call: Call, { globalRps, tenantRps }: PipelineSettings): readonly RateBucket[] {
  const { name } = call.method;
  const ownRps = call.tenantFacts?.limits.rps ?? tenantRps;
  const buckets: RateBucket[] = [];
  if (globalRps > 0) buckets.push({ name, tokensPerSecond: globalRps });
  if (ownRps > 0) buckets.push({ name: `${name}/${call.tenant}`, tokensPerSecond: ownRps });
  return buckets;
}

function judge(call: Call, taken: Taken): void {
  call.responseHeaders.set("x-ratelimit-limit", String(taken.tokensPerSecond));
  call.responseHeaders.set("x-ratelimit-remaining", String(taken.remaining));
  if (taken.allowed) return;
  const options = { reason: "RATE", retryAfterMs: Math.max(1, taken.retryAfterMs) };
  throw refusalError("RATE_LIMITED", `${call.method.name} is called too often`, options);
}
