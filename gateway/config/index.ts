/** Every setting with its type, default and reason, and where its value comes from. Nothing is read after the start. */
export { configProblems, egressNotice, isLoopback, isSafeUrl } from "./check.ts";
export { describeConfig, settingsMarkdown } from "./describe.ts";
export { type Identity, splitAddress } from "./kinds.ts";
export { ConfigError, type LoadedConfig, loadConfig } from "./load.ts";
export type { Setting } from "./setting.ts";
export { type Config, settingsTable } from "./table.ts";
export { tenantValueProblem } from "./tenant-value.ts";
