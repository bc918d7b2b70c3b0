import { RefusalError, refuse } from "#base";
import type { Call } from "../call.ts";
import type { PipelineParts, PipelineSettings, Stage } from "./stage.ts";
import type { RateLimiter, Taken } from "./token-bucket.ts";

/**
 * A token bucket per method, for all tenants and for each one; a call takes as many tokens as the contract says it
 * costs. Without a limiter, and on the internal plane, everything passes.
 */
export function rateLimit({ plane, settings, providers, telemetry }: PipelineParts): Stage {
  const limiter = providers.rateLimiter;
  if (plane === "internal" || limiter === undefined) return { name: "rate-limit", enter: () => undefined };
  return {
    name: "rate-limit",
    enter(call) {
      try {
        const waiting = takeAll(call, limiter, settings);
        return waiting?.catch((error) => failed(call, error));
      } catch (error) {
        return failed(call, error);
      }
    },
  };

  function failed(call: Call, error: unknown): void {
    if (error instanceof RefusalError) throw error;
    telemetry.log.error({ error, request_id: call.requestId }, "the rate limiter failed");
    if (settings.rateLimitFailMode === "closed")
      throw new RefusalError(
        refuse("UNAVAILABLE", "the rate limiter cannot be reached", { retryAfterMs: 1_000 }),
      );
  }
}

function takeAll(call: Call, limiter: RateLimiter, settings: PipelineSettings): undefined | Promise<void> {
  const { name, rateCost } = call.method;
  const takes: [bucket: string, rps: number][] = [];
  if (settings.globalRps > 0) takes.push([name, settings.globalRps]);
  if (settings.tenantRps > 0) takes.push([`${name}/${call.tenant}`, settings.tenantRps]);
  return takeFrom(0);

  function takeFrom(index: number): undefined | Promise<void> {
    for (let i = index; i < takes.length; i++) {
      const [bucket, rps] = takes[i]!;
      const taken = limiter.take(bucket, rateCost, rps);
      if (taken instanceof Promise)
        return taken.then((late) => {
          judge(call, late, rps);
          return takeFrom(i + 1);
        });
      judge(call, taken, rps);
    }
    return undefined;
  }
}

function judge(call: Call, taken: Taken, rps: number): void {
  call.responseHeaders.set("x-ratelimit-limit", String(rps));
  call.responseHeaders.set("x-ratelimit-remaining", String(taken.remaining));
  if (taken.allowed) return;
  const options = { reason: "RATE", retryAfterMs: Math.max(1, taken.retryAfterMs) };
  throw new RefusalError(refuse("RATE_LIMITED", `${call.method.name} is called too often`, options));
}
