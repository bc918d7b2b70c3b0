import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { attachStorage, StorageError, startStorage, verifyData } from "#storage";
import {
  copyData,
  dropEntries,
  inFolder,
  session,
  threeFrames,
  threeFramesKilled,
} from "../../test/support/embedded.ts";
import { sourceArguments } from "../../test/support/typescript/arguments.ts";
import type { EmbeddedBootstrap } from "../bootstrap.ts";
import { append, rejects, replayed, take } from "../journal.cases.ts";
import { flush, put, scanned } from "../tables.cases.ts";

test.serial(
  "a start finds heads, entries, rows and objects of the last one",
  inFolder(async (t, dir) => {
    await session(dir, async ({ journal, tables, objects }) => {
      const owner = await take(journal, 1);
      await append(journal, owner, 1, ["a", "b", "c"]);
      await tables.write([flush(1, 1, [put("k", "v", 1)])]);
      await objects.put("o", chunks("body"));
    });
    await session(dir, async (storage, _host, log) => {
      t.is((await take(storage.journal, 1)).head, 3);
      t.deepEqual(await replayed(storage.journal, 1, 1), ["2:b", "3:c"]);
      t.deepEqual(await scanned(storage, { shard: 1 }), ["k=v"]);
      t.truthy(await storage.objects.get("o"));
      t.deepEqual(log, []);
    });
  }),
);

test.serial(
  "epochs go on over restarts, so that no two owners ever share one",
  inFolder(async (t, dir) => {
    const epochs: number[] = [];
    for (let start = 0; start < 3; start++)
      await session(dir, async ({ journal }) => {
        epochs.push((await take(journal, 1)).epoch, (await take(journal, 1)).epoch);
      });
    t.deepEqual(epochs, [1, 2, 3, 4, 5, 6]);
  }),
);

test.serial(
  "a folder that cannot be made: the error names it and the reason",
  inFolder(async (t, parent) => {
    const dir = join(parent, "file");
    await writeFile(dir, "no folder");
    const message = `storage.dir: the folder ${dir} cannot be made (EEXIST)`;
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
  }),
);

test.serial(
  "a folder is made together with its missing parents",
  inFolder(async (t, parent) => {
    const dir = join(parent, "a", "b", "c");
    await session(dir, async ({ journal }) => t.is((await take(journal, 1)).head, 0));
    t.is((await stat(dir)).mode & 0o777, 0o700);
  }),
);

// In its own process: a start that loops for ever inside a system call cannot be ended from within.
test.serial("a start below /proc, where no folder can be made, fails instead of hanging", async (t) => {
  const script = `
    import { startStorage } from "#storage";
    await startStorage({ engine: "embedded", dir: "/proc/switchyard/data" }).catch((error) => console.log(error.message));
    process.kill(process.pid, "SIGKILL");`;
  const args = [...sourceArguments, "--input-type=module", "-e", script];
  const cwd = new URL("../..", import.meta.url).pathname;
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => child.kill("SIGKILL"));
  t.timeout(120_000, "the start hangs");
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  t.regex(text.toString(), /^storage\.dir: the folder \/proc\/switchyard\/data cannot be made \(E\w+\)$/m);
});

test.serial(
  "a folder that cannot be locked: the error names it and the reason",
  inFolder(async (t, dir) => {
    await writeFile(join(dir, "lock"), "no folder");
    const message = `storage.dir: ${dir} cannot be locked: its folder "lock" cannot be used (EEXIST)`;
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
  }),
);

test.serial(
  "a torn last frame is cut off and logged, and the frames before it are there",
  inFolder(async (t, parent) => {
    const { dir, path, ends } = await threeFramesKilled(parent);
    const bytes = await readFile(path);
    // As if the power failed before the end of the third frame was written, and so before the segment was sealed.
    bytes.fill(0, ends[2]! - 20);
    await writeFile(path, bytes);
    const report = await verifyData({ engine: "embedded", dir });
    t.true(report.sound);
    t.true(
      report.findings.some((finding) => finding.includes(`behind offset ${ends[1]} is a frame`)),
      report.findings.join("\n"),
    );
    await session(dir, async ({ journal }, _host, log) => {
      t.is((await take(journal, 1)).head, 2);
      t.deepEqual(await replayed(journal, 1, 0), ["1:value 1", "2:value 2"]);
      t.is(log.length, 1);
      t.true(log[0]!.includes(path) && log[0]!.includes(`cut off at offset ${ends[1]}`), log[0]);
    });
  }),
);

test.serial(
  "a corrupt frame before a valid one: the start is refused with file and offset, and changes nothing",
  inFolder(async (t, dir) => {
    const { path, ends } = await threeFrames(dir);
    const bytes = await readFile(path);
    bytes[ends[0]! + 30]! ^= 4;
    await writeFile(path, bytes);
    const message = `${path}: the frame at offset ${ends[0]} is corrupt, because a valid one follows at offset ${ends[1]}`;
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
    t.deepEqual(await readFile(path), bytes);
    const report = await verifyData({ engine: "embedded", dir });
    t.false(report.sound);
    t.true(report.findings.includes(`DAMAGED: ${message}`), report.findings.join("\n"));
  }),
);

test.serial(
  "a journal without its generation file: the start is refused",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await rm(join(dir, "generation"));
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      message: /the owners of the shards are not known; restore/,
    });
  }),
);

test.serial(
  "only the older slot of the generation file is left: no epoch is given out twice",
  inFolder(async (t, dir) => {
    const { path } = await threeFrames(dir);
    const generation = join(dir, "generation");
    const bytes = await readFile(generation);
    bytes[64 * 1_024 + 100]! ^= 1;
    await writeFile(generation, bytes);
    await session(dir, async ({ journal }, _host, log) => {
      const owner = await take(journal, 1);
      t.is(owner.epoch, 2);
      t.is(owner.head, 3);
      t.regex(log[0]!, /one of two slots/);
    });
    t.truthy(await stat(path));
  }),
);

test.serial(
  "a folder that was copied during writes opens: as after a power loss, only unacknowledged entries may be missing",
  inFolder(async (t, dir) => {
    await session(join(dir, "data"), async ({ journal, tables }) => {
      const owner = await take(journal, 1);
      // A worker's first segment is renamed with its first entry; a copy may miss the file under its earlier name.
      await append(journal, owner, 1, ["v1"]);
      let acknowledged = 1;
      const write = async () => {
        for (let seq = 2; seq <= 400; seq++) {
          await append(journal, owner, seq, [`v${seq}`]);
          acknowledged = seq;
          if (seq % 50 === 0) await tables.write([flush(1, seq - 20, [put("k", `${seq}`, seq - 20)])]);
        }
      };
      const copy = async () => {
        for (let number = 0; number < 3; number++) {
          const before = acknowledged;
          const copied = join(dir, `copy${number}`);
          await copyData(join(dir, "data"), copied);
          await session(copied, async (storage) => {
            const { head } = await take(storage.journal, 1);
            t.true(head >= before, `${head} of ${before}`);
            await replayed(storage.journal, 1, await storage.tables.watermark(1));
          });
        }
      };
      await Promise.all([write(), copy()]);
    });
  }),
);

test.serial(
  "unfinished uploads are removed at the start",
  inFolder(async (t, dir) => {
    await session(dir, async () => {});
    await writeFile(join(dir, "objects", "incoming", "half"), "x");
    t.regex((await verifyData({ engine: "embedded", dir })).findings.join("\n"), /1 unfinished upload;/);
    await session(dir, async () => t.deepEqual(await readdir(join(dir, "objects", "incoming")), []));
  }),
);

test.serial(
  "unreadable tables: the start is refused with a clear error",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await session(dir, async ({ tables }) => tables.write([flush(1, 3, [put("k", "v", 3)])]));
    await dropEntries(dir);
    await writeFile(join(dir, "tables", "data.mdb"), Buffer.alloc(20_000, 9));
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      message: /tables in .* cannot be opened/,
    });
  }),
);

test.serial(
  "the driver cannot open the tables for a worker: the error names the folder and the reason",
  inFolder(async (t, dir) => {
    await mkdir(join(dir, "other", "tables", "data.mdb"), { recursive: true });
    await session(join(dir, "data"), async (_storage, host) => {
      const bootstrap = { ...(host.bootstrap(1).data as EmbeddedBootstrap), dir: join(dir, "other") };
      const error = await t.throwsAsync(attachStorage(bootstrap), { instanceOf: StorageError });
      const sentence = `the tables in ${join(dir, "other", "tables")} cannot be opened: Is a directory`;
      t.true(error.message.startsWith(sentence), error.message);
    });
  }),
);

test.serial(
  "a folder that cannot be read any more: the health check reports it as gone, with the reason",
  inFolder(async (t, parent) => {
    const dir = join(parent, "data");
    await session(dir, async (_storage, host) => {
      t.like(await host.health(), { state: "healthy" });
      await rename(dir, join(parent, "moved"));
      t.deepEqual(await host.health(), {
        state: "gone",
        detail: `ENOENT: no such file or directory, statfs '${dir}'`,
      });
      await rename(join(parent, "moved"), dir);
      t.like(await host.health(), { state: "healthy" });
    });
  }),
);

test.serial(
  "a worker that outlives its host writes nothing to the folder, which another process may own by then",
  inFolder(async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const storage = await attachStorage(host.bootstrap(0).data);
    const [owner, idle] = [await take(storage.journal, 1), await take(storage.journal, 2)];
    await append(storage.journal, owner, 1, ["in time"]);
    await host.close();
    const before = await readFile(join(dir, "generation"));
    await rejects(t, storage.journal.open([1], 1), "closed");
    // The worker has a segment, to which it could write without asking the host.
    await rejects(t, append(storage.journal, owner, 2, ["late"]), "fenced");
    await rejects(t, append(storage.journal, idle, 1, ["late"]), "fenced");
    t.deepEqual(await readFile(join(dir, "generation")), before);
    await storage.close();
    await session(dir, async ({ journal }) => {
      await take(journal, 1);
      t.deepEqual(await replayed(journal, 1, 0), ["1:in time"]);
    });
  }),
);

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
