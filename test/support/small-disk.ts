/** A small tmpfs for a test. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";

const run = promisify(execFile);

async function smallDisk(mebibytes: number): Promise<string | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.full-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", dir]);
    return dir;
  } catch (error) {
    await rm(dir, { recursive: true });
    if (process.env.CI === "true") throw error;
    return;
  }
}

async function removeDisk(dir: string): Promise<void> {
  await run("umount", ["-l", dir]);
  await rm(dir, { recursive: true });
}

export const onSmallDisk =
  (mebibytes: number, body: (t: ExecutionContext, dir: string) => Promise<void>) =>
  async (t: ExecutionContext) => {
    const dir = await smallDisk(mebibytes);
    if (!dir) return;
    try {
      await body(t, dir);
    } finally {
      await removeDisk(dir);
    }
  };

const probe = await smallDisk(1);
if (probe) await removeDisk(probe);
export const diskTest = probe ? test.serial : test.serial.skip;
export const name = (claim: string) =>
  probe ? claim : `${claim} (skipped: mounting a tmpfs is not permitted here)`;

/** Fills the disk with a file that can be removed. */
export async function fill(dir: string): Promise<string> {
  const path = join(dir, "ballast");
  for (let bytes = 16 * 1_024 * 1_024; bytes >= 4_096; ) {
    try {
      await writeFile(path, Buffer.alloc(bytes, 1), { flag: "a" });
    } catch {
      bytes /= 2;
    }
  }
  return path;
}
