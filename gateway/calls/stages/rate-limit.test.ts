import test from "ava";
import { type RefusalError, systemClock } from "#base";
import { quietTelemetry, testSettings } from "../../../test/contract/support/parts.ts";
import { rolesOf } from "../../contract/roles.ts";
import { AnswerHeaders } from "../answer-headers.ts";
import type { Call } from "../call.ts";
import { rateLimit } from "./rate-limit.ts";
import type { PipelineSettings } from "./stage.ts";
import { localRateLimiter, type RateLimiter } from "./token-bucket.ts";

const frozen = { ...systemClock, monotonic: () => 0 };

function enter(
  rateLimiter: RateLimiter,
  settings: Partial<PipelineSettings>,
  plane: "external" | "internal" = "external",
) {
  const stage = rateLimit({
    plane,
    methods: [],
    roles: rolesOf([]),
    settings: { ...testSettings, ...settings },
    providers: { rateLimiter },
    telemetry: quietTelemetry,
  });
  return async (tenant = "t1") => {
    const call = {
      method: { name: "Probe.Keep", rateCost: 1 },
      tenant,
      responseHeaders: new AnswerHeaders(),
    };
    try {
      await stage.enter?.(call as unknown as Call, undefined);
      return { code: "OK", remaining: call.responseHeaders.get("x-ratelimit-remaining") };
    } catch (error) {
      return {
        code: (error as RefusalError).refusal.code,
        limit: call.responseHeaders.get("x-ratelimit-limit"),
      };
    }
  };
}

test("a tenant over its own limit takes nothing from what all share", async (t) => {
  const call = enter(localRateLimiter(frozen), { globalRps: 3, tenantRps: 1 });
  t.deepEqual(await call("t1"), { code: "OK", remaining: "0" });
  for (let i = 0; i < 10; i++) t.deepEqual(await call("t1"), { code: "RATE_LIMITED", limit: "1" });
  t.is((await call("t2")).code, "OK");
  t.is((await call("t3")).code, "OK");
  t.deepEqual(await call("t4"), { code: "RATE_LIMITED", limit: "3" });
});

test("a limiter that cannot be asked: open counts in the thread, closed refuses", async (t) => {
  const gone: RateLimiter = { take: () => Promise.reject(new Error("gone")) };
  const open = enter(gone, { tenantRps: 1, rateLimitFailMode: "open" });
  const codes = await Promise.all([open(), open(), open("t2")]);
  t.deepEqual(
    codes.map(({ code }) => code),
    ["OK", "RATE_LIMITED", "OK"],
  );
  const closed = enter(gone, { tenantRps: 1, rateLimitFailMode: "closed" });
  t.is((await closed()).code, "UNAVAILABLE");
});

test("inside, and where no rate is set, no limiter is asked", async (t) => {
  const never: RateLimiter = { take: () => t.fail() as never };
  t.is((await enter(never, { tenantRps: 1 }, "internal")()).code, "OK");
  t.is((await enter(never, {})()).code, "OK");
});
