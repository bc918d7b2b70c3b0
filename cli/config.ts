import { configProblems, describeConfig, egressNotice, settingsMarkdown } from "#gateway";
import type { Given } from "./command.ts";
import { CliError } from "./error.ts";
import { listed, loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service config` */
export function configPrint({ flags }: Given, terminal: Terminal): number {
  const loaded = loadSettings(terminal, "production", flags);
  terminal.out(flags.markdown === true ? `${settingsMarkdown()}\n` : describeConfig(loaded));
  return 0;
}

/** `service config check` */
export async function configCheck({ flags }: Given, terminal: Terminal): Promise<number> {
  const { config } = loadSettings(terminal, "production", flags);
  const problems = await configProblems(config, "production");
  if (problems.length > 0)
    throw new CliError(listed("`service start` would refuse these settings", problems));
  terminal.out(`the settings can be used\n${egressNotice(config)}\n`);
  return 0;
}
