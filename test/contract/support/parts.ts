import type { PipelineSettings, PipelineTelemetry } from "../../../gateway/calls/stages/stage.ts";

/** Every caller is the administrator of the tenant `dev`, and nothing is limited. */
export const testSettings: PipelineSettings = {
  authEnabled: false,
  authzProvider: "builtin",
  authzAllowWhenUnconfigured: true,
  concurrentRequestsMax: 0,
  concurrentRequestsPerTenantMax: 0,
  streamsMax: 0,
  globalRps: 0,
  tenantRps: 0,
  rateLimitFailMode: "open",
  sunsets: {},
  slowRequestMs: 0,
  entitlementEnforcement: "report",
  entitlementGraceUnprovisioned: false,
};

export const quietTelemetry: PipelineTelemetry = {
  callStarted: () => undefined,
  callEnded: () => undefined,
  deprecatedCalled: () => undefined,
  graceAdmitted: () => undefined,
  credentialsAccepted: () => undefined,
  credentialsRefused: () => undefined,
  log: { warn: () => undefined, error: () => undefined },
};
