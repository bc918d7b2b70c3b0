import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { asError, isObject, keysOf } from "#base";
import { enterpriseControls } from "./security-profile.ts";
import type { Setting } from "./setting.ts";
import { type Config, type SettingKey, settingsTable } from "./table.ts";

export interface ConfigSources {
  readonly profile: "dev" | "production";
  /** Named by the user: must be there. Absent: `service.yaml`, if there is one. */
  readonly file?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `key=value` */
  readonly set: readonly string[];
}

export interface LoadedConfig {
  readonly profile: ConfigSources["profile"];
  readonly config: Config;
  /** Where each value came from. */
  readonly origins: ReadonlyMap<SettingKey, string>;
  readonly warnings: readonly string[];
}

/** All that is wrong, each line naming its key. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Defaults < file < environment < --set. An unknown key or a bad value stops the start; all of them are named at once. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const values: Record<string, unknown> = {};
  const origins = new Map<SettingKey, string>();
  const problems: string[] = [];
  const warnings: string[] = [];

  for (const key of keys) {
    const { default: usual, dev } = settingOf(key);
    const isDev = sources.profile === "dev" && dev !== undefined;
    values[key] = isDev ? dev : usual;
    origins.set(key, isDev ? "dev profile" : "default");
  }
  const file = readFile(sources, problems);
  for (const [key, raw] of Object.entries(file.values)) set(key, raw, file.name);
  for (const [name, raw] of Object.entries(sources.environment)) {
    if (!name.startsWith("SERVICE_") || raw === undefined) continue;
    const key = byVariable.get(name);
    // Orchestrators inject names of this form for services of theirs, so an unknown one is not an error.
    if (key === undefined) warnings.push(`${name} is no setting and was ignored`);
    else set(key, raw, name);
  }
  for (const pair of sources.set) {
    const mark = pair.indexOf("=");
    if (mark <= 0) problems.push(`--set ${pair}: must be key=value`);
    else set(pair.slice(0, mark), pair.slice(mark + 1), "--set");
  }
  for (const [key, origin] of origins)
    if (origin === "--set" && settingOf(key).secret)
      warnings.push(
        `--set ${key}: every user of this machine can read it in the list of processes; ` +
          `use ${variableOf(key)} or a file (--config) instead`,
      );
  if (values.security_profile === "enterprise") forceControls();
  if (problems.length > 0) throw new ConfigError(problems);
  return { profile: sources.profile, config: values as unknown as Config, origins, warnings };

  /** A value that was set stays as it is: `configProblems` refuses what contradicts the profile. */
  function forceControls(): void {
    for (const { key, value } of enterpriseControls) {
      if (!isKey(key) || origins.get(key) !== "default") continue;
      values[key] = value;
      origins.set(key, "security_profile=enterprise");
    }
  }

  function set(name: string, raw: unknown, origin: string): void {
    const prefix = prefixes.find((candidate) => name.startsWith(`${candidate}.`));
    const key = prefix ?? name;
    if (!isKey(key)) {
      problems.push(`${name}: there is no such setting (from ${origin})`);
      return;
    }
    const value =
      prefix === undefined ? raw : { ...(values[key] as object), [name.slice(key.length + 1)]: raw };
    try {
      values[key] = settingOf(key).kind.parse(value);
      origins.set(key, origin);
    } catch (error) {
      problems.push(`${name}: ${asError(error).message} (from ${origin})`);
    }
  }
}

export const keys = keysOf(settingsTable);

export function settingOf(key: SettingKey): Setting<unknown> {
  return settingsTable[key] as unknown as Setting<unknown>;
}

/** `server.http_addr` is SERVICE_SERVER_HTTP_ADDR. */
export function variableOf(key: SettingKey): string {
  return `SERVICE_${key.toUpperCase().replaceAll(".", "_")}`;
}

const byVariable = new Map(keys.map((key) => [variableOf(key), key]));
const prefixes = keys.filter((key) => settingOf(key).kind.isByName === true);

export function isKey(name: string): name is SettingKey {
  return Object.hasOwn(settingsTable, name);
}

function readFile(
  sources: ConfigSources,
  problems: string[],
): { name: string; values: Record<string, unknown> } {
  const name = sources.file ?? "service.yaml";
  const values: Record<string, unknown> = {};
  let source: string;
  try {
    source = readFileSync(name, "utf8");
  } catch (error) {
    if (sources.file !== undefined) problems.push(`${name}: cannot be read (${asError(error).message})`);
    return { name, values };
  }
  try {
    flatten(yaml().parse(source) ?? {}, "", values);
  } catch (error) {
    problems.push(`${name}: is not YAML (${asError(error).message.split("\n")[0]})`);
  }
  return { name, values };
}

/** Loaded only where there is a file: every thread loads this module, and YAML is a tenth of its start. */
function yaml(): typeof import("yaml") {
  return createRequire(import.meta.url)("yaml");
}

function flatten(node: unknown, prefix: string, into: Record<string, unknown>): void {
  if (!isObject(node)) {
    into[prefix === "" ? "(top level)" : prefix] = node;
    return;
  }
  for (const [name, value] of Object.entries(node))
    flatten(value, prefix === "" ? name : `${prefix}.${name}`, into);
}
