import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { asError } from "#base";
import type { Log } from "../storage.ts";
import { ifPresent } from "./durable.ts";
import { folders } from "./layout.ts";

/**
 * Removes the access of other users from files that other tools left open to them. New files have
 * these modes from the start.
 */
export async function tightenModes(dir: string, log: Log): Promise<void> {
  const { generation, journal, tables, objects, reserve } = folders(dir);
  const paths = [dir, generation, journal, tables, objects, reserve, join(dir, "lock")];
  for (const folder of [journal, tables, objects])
    for (const name of (await ifPresent(readdir(folder))) ?? []) paths.push(join(folder, name));
  let tightened = 0;
  for (const path of paths) {
    const { mode } = (await ifPresent(stat(path))) ?? { mode: 0 };
    if ((mode & 0o077) === 0) continue;
    try {
      await chmod(path, mode & 0o700);
      tightened++;
    } catch (error) {
      const { code } = asError(error);
      log(`${path} can be read or written by other users, and its mode cannot be changed (${code})`);
    }
  }
  if (tightened > 0)
    log(`${tightened} files and folders in ${dir} were open to other users; now only the owner has access`);
}
