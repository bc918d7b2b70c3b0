import { limits, type RefusalError, refusalError } from "#base";
import type { Call } from "../call.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Caps what is under way at once: requests in all and per tenant, streams and long polls on their own. */
export function concurrency({ settings }: PipelineParts): Stage {
  const { concurrentRequestsMax, concurrentRequestsPerTenantMax, streamsMax } = settings;
  const perTenant = new Map<string, number>();
  let requests = 0;
  let streams = 0;

  return {
    name: "concurrency",
    enter(call) {
      if (isLong(call)) {
        if (streamsMax > 0 && streams >= streamsMax) throw tooMany("streams and long polls");
        streams++;
        return;
      }
      if (concurrentRequestsMax > 0 && requests >= concurrentRequestsMax) throw tooMany("requests");
      const ownMax = ownMaxOf(call);
      if (ownMax > 0) {
        const own = perTenant.get(call.tenant ?? "") ?? 0;
        if (own >= ownMax) throw tooMany("requests of this tenant");
        perTenant.set(call.tenant ?? "", own + 1);
      }
      requests++;
    },
    leave(call) {
      if (isLong(call)) {
        streams--;
        return;
      }
      requests--;
      if (ownMaxOf(call) === 0) return;
      const own = perTenant.get(call.tenant ?? "") ?? 0;
      if (own > 1) perTenant.set(call.tenant ?? "", own - 1);
      else perTenant.delete(call.tenant ?? "");
    },
  };

  /** A call keeps the facts it came in with, so what it counted on the way in it counts back on the way out. */
  function ownMaxOf({ tenantFacts }: Call): number {
    return tenantFacts?.limits.concurrency ?? concurrentRequestsPerTenantMax;
  }
}

/** What waits on purpose would fill a cap that is meant for what works. */
export function isLong(call: Call): boolean {
  return call.method.wait !== undefined || call.method.kind !== "unary";
}

function tooMany(what: string): RefusalError {
  const options = { reason: "CONCURRENCY", retryAfterMs: limits.retryAfterMs };
  return refusalError("RATE_LIMITED", `too many ${what} are under way`, options);
}
