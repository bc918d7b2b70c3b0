import type { Setting } from "./setting.ts";
import { accessSettings } from "./settings/access.ts";
import { governanceSettings } from "./settings/governance.ts";
import { modulesSettings } from "./settings/modules.ts";
import { serverSettings } from "./settings/server.ts";
import { storageSettings } from "./settings/storage.ts";
import { telemetrySettings } from "./settings/telemetry.ts";

/** Every setting there is, by area. Keys are what YAML, `--set` and, as SERVICE_…, the environment use. */
export const settingsTable = {
  ...serverSettings,
  ...storageSettings,
  ...accessSettings,
  ...modulesSettings,
  ...governanceSettings,
  ...telemetrySettings,
} as const;

export type SettingKey = keyof typeof settingsTable;
export type Config = { readonly [K in SettingKey]: ValueOf<(typeof settingsTable)[K]> };
type ValueOf<S> = S extends Setting<infer T> ? T : never;
