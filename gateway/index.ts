/**
 * Wire protocols in, answers out: HTTP, Connect, gRPC, the pipeline every call passes, configuration and telemetry.
 * Keeps nothing: what a call reports is durable below before it leaves here.
 */
import type { LoadedConfig } from "./config/index.ts";
import type { TokenRequest } from "./identity/index.ts";
import type { Service } from "./process/main.ts";

export {
  ConfigError,
  configProblems,
  describeConfig,
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

/** For callers of the internal plane. */
export async function makeServiceToken(request: TokenRequest): Promise<string> {
  return (await import("./identity/service-tokens.ts")).makeServiceToken(request);
}
