import { readFileSync } from "node:fs";
import { ConfigError, type LoadedConfig, loadConfig } from "#gateway";
import type { Given } from "./command.ts";
import { CliError } from "./error.ts";
import type { Terminal } from "./terminal.ts";

/** Problems go to the user line by line, each with its key; warnings too, but they stop nothing. */
export function loadSettings(
  terminal: Terminal,
  profile: "dev" | "production",
  { config: file, set = [] }: Given["flags"],
  first: readonly string[] = [],
  last: readonly string[] = [],
): LoadedConfig {
  try {
    const loaded = loadConfig({
      profile,
      ...(typeof file === "string" && { file }),
      environment: terminal.environment,
      set: [...first, ...(set as readonly string[]), ...last],
    });
    for (const warning of loaded.warnings) terminal.err(`service: ${warning}\n`);
    return loaded;
  } catch (error) {
    if (error instanceof ConfigError)
      throw new CliError(listed("the settings cannot be used", error.problems));
    throw error;
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`service: ${file} cannot be read: ${(error as Error).message}`);
  }
}

export function listed(title: string, problems: readonly string[]): string {
  return `service: ${title}\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}
