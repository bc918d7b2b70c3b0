import { type ParseArgsConfig, parseArgs } from "node:util";
import { ConfigError, type LoadedConfig, loadConfig } from "#gateway";
import { CliError } from "./error.ts";
import type { Terminal } from "./terminal.ts";

/** What every command that needs settings takes. */
const settingOptions = {
  config: { type: "string" },
  set: { type: "string", multiple: true },
} as const satisfies ParseArgsConfig["options"];

export interface ParsedOptions {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly file: string | undefined;
  readonly set: readonly string[];
}

export function parseOptions(
  args: readonly string[],
  own: NonNullable<ParseArgsConfig["options"]> = {},
): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...args], options: { ...settingOptions, ...own }, strict: true });
    const { config, set, ...flags } = values as Record<string, unknown>;
    return {
      flags: flags as ParsedOptions["flags"],
      file: config as string | undefined,
      set: (set as string[] | undefined) ?? [],
    };
  } catch (error) {
    throw new CliError(`service: ${(error as Error).message}; service --help lists the options`, 2);
  }
}

/** Problems go to the user line by line, each with its key; warnings too, but they stop nothing. */
export function loadSettings(
  terminal: Terminal,
  profile: "dev" | "production",
  options: ParsedOptions,
  first: readonly string[] = [],
): LoadedConfig {
  try {
    const loaded = loadConfig({
      profile,
      ...(options.file === undefined ? {} : { file: options.file }),
      environment: terminal.environment,
      set: [...first, ...options.set],
    });
    for (const warning of loaded.warnings) terminal.err(`service: ${warning}\n`);
    return loaded;
  } catch (error) {
    if (error instanceof ConfigError)
      throw new CliError(listed("the settings cannot be used", error.problems));
    throw error;
  }
}

export function listed(title: string, problems: readonly string[]): string {
  return `service: ${title}\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}
