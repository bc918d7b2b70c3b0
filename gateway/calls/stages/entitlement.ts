import type { TenantFacts } from "#actors";
import { type RefusalError, refusalError } from "#base";
import type { Call } from "../call.ts";
import type { PipelineParts } from "./stage.ts";

/** Whether the tenant's entitlements let a method be called that asks for one. An explicit deny counts in every mode. */
export function entitlementCheck({ settings, telemetry, audit }: EntitlementParts) {
  const { entitlementEnforcement: enforcement, entitlementGraceUnprovisioned: grace } = settings;
  return (call: Call, { entitlements }: TenantFacts): void => {
    const item = call.method.entitlement;
    if (item === undefined) return;
    if (entitlements?.denied.includes(item)) throw denied(item, "denies it", "DENIED");
    if (enforcement === "off") return;
    const lack = lackOf(item, entitlements);
    if (lack === undefined) return;
    if (enforcement === "strict" && !(grace && lack === "UNPROVISIONED"))
      throw denied(item, lacks[lack], lack);
    telemetry?.graceAdmitted(call, item, lack);
    audit?.graceAdmitted(call, item, lack);
  };
}

/** For a look without a trace: without telemetry and audit, a call that grace lets in is neither counted nor recorded. */
type EntitlementParts = Pick<PipelineParts, "settings"> & Partial<Pick<PipelineParts, "telemetry" | "audit">>;

type Lack = keyof typeof lacks;

const lacks = {
  UNPROVISIONED: "has never been given any",
  STALE: "has entitlements that are out of date",
  MISSING: "does not include it",
};

function lackOf(item: string, entitlements: TenantFacts["entitlements"]): Lack | undefined {
  if (entitlements === undefined) return "UNPROVISIONED";
  if (Date.now() >= entitlements.freshUntilMs) return "STALE";
  return entitlements.allowed.includes(item) ? undefined : "MISSING";
}

function denied(item: string, why: string, reason: string): RefusalError {
  return refusalError("ENTITLEMENT_DENIED", `this needs the entitlement ${item}, and the tenant ${why}`, {
    reason,
  });
}
