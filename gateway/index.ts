/**
 * Wire protocols in, answers out: HTTP, Connect, gRPC, the pipeline every call passes, configuration and telemetry.
 * Keeps nothing: what a call reports is durable below before it leaves here.
 */
export {
  ConfigError,
  configProblems,
  describeConfig,
  type LoadedConfig,
  loadConfig,
  settingsMarkdown,
} from "./config/index.ts";
export { type Service, startService } from "./main.ts";
