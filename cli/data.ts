import { storageSettings } from "#gateway";
import { type DataReport, verifyData } from "#storage";
import type { Given } from "./command.ts";
import { CliError, exitCodes } from "./error.ts";
import { listed, loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service data verify`: exit code 1 when anything is wrong, 3 when there is no data at all. */
export async function dataVerify({ flags }: Given, terminal: Terminal): Promise<number> {
  const { config } = loadSettings(terminal, "production", flags);
  const { found, sound, findings } = await read(() => verifyData(storageSettings(config)));
  if (!found)
    throw new CliError(
      `service: ${findings.join(" ")} \`storage.dir\` says which folder is read.`,
      exitCodes.notThere,
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
