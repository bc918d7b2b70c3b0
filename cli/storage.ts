import { storageSettings } from "#gateway";
import { migrateStorage } from "#storage";
import type { Given } from "./command.ts";
import { CliError } from "./error.ts";
import { loadSettings } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** `service storage migrate` */
export async function storageMigrate({ flags }: Given, terminal: Terminal): Promise<number> {
  const { config } = loadSettings(terminal, "production", flags);
  try {
    terminal.out(`${await migrateStorage(storageSettings(config))}\n`);
    return 0;
  } catch (error) {
    throw new CliError(`service: the storage could not be migrated: ${(error as Error).message}`);
  }
}
