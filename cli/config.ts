import { configProblems, describeConfig, egressNotice, settingsMarkdown } from "#gateway";
import { CliError } from "./error.ts";
import { listed, loadSettings, parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service config` */
export function configPrint(args: readonly string[], terminal: Terminal): number {
  const options = parseOptions(args, { markdown: { type: "boolean" } });
  const loaded = loadSettings(terminal, "production", options);
  terminal.out(options.flags.markdown === true ? `${settingsMarkdown()}\n` : describeConfig(loaded));
  return 0;
}

/** `service config check` */
export async function configCheck(args: readonly string[], terminal: Terminal): Promise<number> {
  const { config } = loadSettings(terminal, "production", parseOptions(args));
  const problems = await configProblems(config, "production");
  if (problems.length > 0)
    throw new CliError(listed("`service start` would refuse these settings", problems));
  terminal.out(`the settings can be used\n${egressNotice(config)}\n`);
  return 0;
}
