/**
 * Wire protocols in, answers out: HTTP, Connect, gRPC, the pipeline every call passes, configuration and telemetry.
 * Keeps nothing: what a call reports is durable below before it leaves here.
 */
import type { AuditFiles, AuditReport } from "./audit/index.ts";
import type { LoadedConfig } from "./config/index.ts";
import type { TokenRequest } from "./identity/index.ts";
import type { Service } from "./process/main.ts";

export {
  ConfigError,
  configProblems,
  describeConfig,
  egressNotice,
  type LoadedConfig,
  loadConfig,
  settingsMarkdown,
} from "./config/index.ts";
export type { Service } from "./process/main.ts";
export { storageSettings } from "./settings.ts";

/** Loaded when it is called: a command that only reads settings is quick. */
export async function startService(loaded: LoadedConfig): Promise<Service> {
  return (await import("./process/main.ts")).startService(loaded);
}

/** What the audit log of a node with these settings consists of. */
export async function auditFiles(config: LoadedConfig["config"]): Promise<AuditFiles> {
  const { log, ...paths } = (await import("./audit/index.ts")).auditPaths(config);
  return { ...paths, logs: [log] };
}

export async function verifyAudit(files: AuditFiles): Promise<AuditReport> {
  return (await import("./audit/index.ts")).verifyAudit(files);
}

/** For callers of the internal plane. */
export async function makeServiceToken(request: TokenRequest): Promise<string> {
  return (await import("./identity/service-tokens.ts")).makeServiceToken(request);
}
