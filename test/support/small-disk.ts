/** A small tmpfs for a test. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import { needing } from "./needing.ts";

const run = promisify(execFile);

async function smallDisk(mebibytes: number): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "switchyard.full-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", dir]);
  return dir;
}

export const onSmallDisk =
  (mebibytes: number, body: (t: ExecutionContext, dir: string) => Promise<void>) =>
  async (t: ExecutionContext) => {
    const dir = await smallDisk(mebibytes);
    try {
      await body(t, dir);
    } finally {
      await run("umount", ["-l", dir]);
      await rm(dir, { recursive: true });
    }
  };

export const diskTest = needing(test.serial, "tmpfs");

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
