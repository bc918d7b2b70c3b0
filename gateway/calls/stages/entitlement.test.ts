import test from "ava";
import type { TenantFacts } from "#actors";
import { RefusalError } from "#base";
import { quietTelemetry, testSettings } from "../../../test/contract/support/parts.ts";
import type { Call } from "../call.ts";
import { entitlementCheck } from "./entitlement.ts";
import type { PipelineSettings } from "./stage.ts";

const call = { method: { name: "ProbeService.Echo", entitlement: "probing" } } as Call;
const fresh = Date.now() + 60_000;

function judged(entitlements: TenantFacts["entitlements"], settings: Partial<PipelineSettings>): string {
  let admitted = "passes";
  const recorded: string[] = [];
  const graceAdmitted = (_call: Call, item: string, reason: string) => {
    admitted = `grace ${item} ${reason}`;
  };
  const audit = {
    ended: () => undefined,
    visited: () => undefined,
    graceAdmitted: (_call: Call, ...lacked: string[]) => void recorded.push(lacked.join(" ")),
  };
  const check = entitlementCheck({
    settings: { ...testSettings, ...settings },
    telemetry: { ...quietTelemetry, graceAdmitted },
    audit,
  });
  try {
    check(call, { ...(entitlements && { entitlements }) } as TenantFacts);
  } catch (thrown) {
    if (!(thrown instanceof RefusalError)) throw thrown;
    return `${thrown.refusal.code} ${thrown.refusal.reason}`;
  }
  return admitted === `grace ${recorded[0]}` || recorded.length === 0 ? admitted : "told and not recorded";
}

const allowed = { freshUntilMs: fresh, allowed: ["probing"], denied: [] };
const denied = { freshUntilMs: fresh, allowed: [], denied: ["probing"] };
const missing = { freshUntilMs: fresh, allowed: ["other"], denied: [] };
const stale = { ...allowed, freshUntilMs: 1 };
const staleDeny = { ...denied, freshUntilMs: 1 };

test("an explicit deny refuses in every mode, also where it is stale or grace is given", (t) => {
  for (const entitlementEnforcement of ["off", "report", "strict"] as const)
    for (const entitlementGraceUnprovisioned of [false, true])
      for (const snapshot of [denied, staleDeny])
        t.is(
          judged(snapshot, { entitlementEnforcement, entitlementGraceUnprovisioned }),
          "ENTITLEMENT_DENIED DENIED",
        );
});

test("given mode off, then nothing else is looked at", (t) => {
  for (const snapshot of [undefined, allowed, missing, stale])
    t.is(judged(snapshot, { entitlementEnforcement: "off" }), "passes");
});

test("given mode report, then what strict would refuse passes and is told", (t) => {
  const report = { entitlementEnforcement: "report" } as const;
  t.is(judged(allowed, report), "passes");
  t.is(judged(missing, report), "grace probing MISSING");
  t.is(judged(stale, report), "grace probing STALE");
  t.is(judged(undefined, report), "grace probing UNPROVISIONED");
});

test("given mode strict, then what is missing or stale is refused; grace is for tenants that never had any", (t) => {
  const strict = { entitlementEnforcement: "strict" } as const;
  const grace = { ...strict, entitlementGraceUnprovisioned: true };
  t.is(judged(allowed, strict), "passes");
  t.is(judged(missing, strict), "ENTITLEMENT_DENIED MISSING");
  t.is(judged(stale, strict), "ENTITLEMENT_DENIED STALE");
  t.is(judged(undefined, strict), "ENTITLEMENT_DENIED UNPROVISIONED");
  t.is(judged(undefined, grace), "grace probing UNPROVISIONED");
  t.is(judged(missing, grace), "ENTITLEMENT_DENIED MISSING");
  t.is(judged(stale, grace), "ENTITLEMENT_DENIED STALE");
});
