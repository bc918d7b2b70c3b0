import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder on the disk of the working tree (a temporary folder may be in memory), removed afterwards. */
export async function inFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(process.cwd(), ".bench-"));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
