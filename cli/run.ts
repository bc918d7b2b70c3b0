import { configCheck, configPrint } from "./config.ts";
import { dev } from "./dev.ts";
import { CliError } from "./error.ts";
import { help } from "./help.ts";
import { start } from "./start.ts";

/** Returns the exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runCli(args: readonly string[]): Promise<number> {
  const [command = "--help", ...rest] = args;
  try {
    switch (command) {
      case "dev":
        return await dev(rest);
      case "start":
        return await start(rest);
      case "config":
        return rest[0] === "check" ? await configCheck(rest.slice(1)) : configPrint(rest);
      case "help":
      case "--help":
      case "-h":
        process.stdout.write(help);
        return 0;
      default:
        return unknown(command);
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
}

function unknown(command: string): number {
  process.stderr.write(`service: there is no command "${command.trim()}"; service --help lists them\n`);
  return 2;
}
