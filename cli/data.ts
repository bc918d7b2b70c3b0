import { storageSettings } from "#gateway";
import { type DataReport, verifyData } from "#storage";
import { CliError } from "./error.ts";
import { listed, loadSettings, parseOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** A script tells a wrong path from corruption by it; 2 is a wrong command line. */
const nothingThere = 3;

/** `service data verify`: exit code 1 when anything is wrong, 3 when there is no data at all. */
export async function dataVerify(args: readonly string[], terminal: Terminal): Promise<number> {
  const { config } = loadSettings(terminal, "production", parseOptions(args));
  const { found, sound, findings } = await read(() => verifyData(storageSettings(config)));
  if (!found)
    throw new CliError(
      `service: ${findings.join(" ")} \`storage.dir\` says which folder is read.`,
      nothingThere,
    );
  if (!sound) throw new CliError(listed("the data is corrupt", findings));
  terminal.out(`${findings.join("\n")}\n`);
  return 0;
}

async function read(verify: () => Promise<DataReport>): Promise<DataReport> {
  try {
    return await verify();
  } catch (error) {
    throw new CliError(`service: the data could not be read: ${(error as Error).message}`);
  }
}
