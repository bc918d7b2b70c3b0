import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { inFolder, session } from "../../test/support/embedded.ts";
import { append, take } from "../journal.cases.ts";

/** Every path below `dir` with its mode; the folder itself comes first. */
async function openPaths(dir: string): Promise<string[]> {
  const names = ["", ...(await readdir(dir, { recursive: true }))];
  const open: string[] = [];
  for (const name of names) {
    const found = await stat(join(dir, name));
    const expected = found.isDirectory() ? 0o700 : 0o600;
    if ((found.mode & 0o777) !== expected) open.push(`${name} ${(found.mode & 0o777).toString(8)}`);
  }
  return open;
}

async function fillFolder(dir: string, check: () => Promise<unknown>): Promise<readonly string[]> {
  return session(dir, async ({ journal, objects }, _host, log) => {
    const owner = await take(journal, 1);
    await append(journal, owner, owner.head + 1, ["value"]);
    await objects.put("key", body());
    await check();
    return log;
  });
}

test.serial(
  "a data folder is in use: only its owner can read its files, its folders and its lock",
  inFolder(async (t, parent) => {
    const dir = join(parent, "data");
    await fillFolder(dir, async () => t.deepEqual(await openPaths(dir), []));
  }),
);

test.serial(
  "a data folder that other users could read is closed to them by the next start, which says so",
  inFolder(async (t, parent) => {
    const dir = join(parent, "data");
    await fillFolder(dir, async () => {});
    await chmod(dir, 0o755);
    for (const name of ["generation", "tables/data.mdb", "tables/lock.mdb"])
      await chmod(join(dir, name), 0o644);
    for (const name of ["journal", "tables", "objects"]) await chmod(join(dir, name), 0o755);
    const log = await fillFolder(dir, async () => t.deepEqual(await openPaths(dir), []));
    t.deepEqual(log, [
      `7 files and folders in ${dir} were open to other users; now only the owner has access`,
    ]);
  }),
);

async function* body(): AsyncIterable<Uint8Array> {
  yield Buffer.from("body");
}
