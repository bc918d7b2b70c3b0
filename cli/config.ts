import { configProblems, describeConfig } from "#gateway";
import { CliError } from "./error.ts";
import { listed, loadSettings, parseOptions } from "./options.ts";

/** `service config` */
export function configPrint(args: readonly string[]): number {
  process.stdout.write(describeConfig(loadSettings("production", parseOptions(args))));
  return 0;
}

/** `service config check` */
export async function configCheck(args: readonly string[]): Promise<number> {
  const { config } = loadSettings("production", parseOptions(args));
  const problems = await configProblems(config, "production");
  if (problems.length > 0)
    throw new CliError(listed("`service start` would refuse these settings", problems));
  process.stdout.write("the settings can be used\n");
  return 0;
}
