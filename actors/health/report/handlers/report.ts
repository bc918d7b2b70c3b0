import { digestOf, invalid, limits, orThrow, RefusalError, toRfc3339 } from "#base";
import type { OperationalHealthReport } from "#protos";
import { ask } from "../../../kit/ask.ts";
import { isInMode } from "../../../kit/environment.ts";
import { checkKnownEnvironment } from "../../../kit/known-environment.ts";
import { after, type Bounds, pageOf } from "../../../kit/list.ts";
import type { CallContext, Handler } from "../../../module.ts";
import { evaluate } from "../evaluate.ts";
import { rulesetV1, type Signals } from "../ruleset.ts";
import { currentReport, offerReport } from "../service.ts";
import { type Asked, type SourceParts, signalsOf } from "./signals.ts";

/** All that ask within a slot get the first report that was offered for it. */
export function healthReport(
  parts: SourceParts,
): Handler<"OperationalHealthService.GetOperationalHealthReport"> {
  return async ({ environment: named, period = "1h" }, call) => {
    const environment = named ?? call.caller.environment ?? "production";
    checkKnownEnvironment(environment, call, "environment");
    const periodMs = periodOf(period);
    const key = { environment, periodMs };
    const { slot, now, report } = await ask(call, currentReport, { request: key });
    if (report) return report;
    const asked = { ...key, now };
    const offered = reportOf(asked, call.caller.tenant, await signalsOf(asked, parts, call));
    return (await ask(call, offerReport, { request: { ...key, slot, report: offered } })).report;
  };
}

function periodOf(period: string): number {
  const ms = Number.parseInt(period, 10) * (period.endsWith("h") ? 3_600_000 : 60_000);
  const { healthPeriodStepMs: step, healthPeriodMaxMs: most } = limits;
  if (ms % step === 0 && ms <= most) return ms;
  throw new RefusalError(invalid({ field: "period", reason: "must be 5m to 24h, in steps of 5m" }));
}

const rulesetSha256 = digestOf(rulesetV1).slice("sha256:".length);

function reportOf(
  { environment, periodMs, now }: Asked,
  tenant: string,
  signals: Signals,
): OperationalHealthReport {
  const from = now - (now % limits.healthPeriodStepMs) - periodMs;
  const scope = { tenant_id: tenant, environment };
  const window = { from: toRfc3339(from), to: toRfc3339(now) };
  // What is no number in JSON is no reason to give no report: the verdict says what is wrong with it.
  const figures: unknown = JSON.parse(JSON.stringify(signals));
  const digest = digestOf({ ruleset_sha256: rulesetSha256, scope, window, signals: figures });
  const { telemetry_age_ms, clock_skew_ms, dependency_age_ms } = signals;
  return {
    report_id: `ohr_${digest.slice("sha256:".length)}`,
    ...evaluate(signals),
    scope,
    window,
    freshness: {
      ...(telemetry_age_ms !== undefined && { telemetry_age_ms }),
      ...(clock_skew_ms !== undefined && { clock_skew_ms }),
      ...(dependency_age_ms !== undefined && { dependency_age_ms }),
    },
    ruleset: rulesetV1.version,
    ruleset_sha256: rulesetSha256,
  };
}

interface Scope {
  readonly tenant_id: string;
  readonly environments: readonly string[];
}

export const listScopes: Handler<"OperationalHealthService.ListScopes"> = async (request, call) => {
  const { tenant } = call.caller;
  const environments = allowed(call);
  const scopes: Scope[] = environments.length > 0 ? [{ tenant_id: tenant, environments }] : [];
  const list = {
    scope: ["health scopes", tenant],
    shape: ["string"] as const,
    positionOf: ({ tenant_id }: Scope) => [tenant_id],
    read: (bounds: Bounds) => after(scopes, bounds, ({ tenant_id }, [last]) => tenant_id > last!),
  };
  const { values, ...rest } = orThrow(pageOf(request, list, (scope) => scope));
  return { scopes: values, ...rest };
};

/** Of the tenant's environments those that the credential and X-Environment allow. */
function allowed({ caller, tenantEnvironments = ["production"] }: CallContext): string[] {
  const { environment, environmentMode } = caller;
  return tenantEnvironments.filter(
    (name) => isInMode(name, environmentMode) && (environment ?? name) === name,
  );
}
