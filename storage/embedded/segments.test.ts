import { mkdir, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import test from "ava";
import { limits } from "#base";
import { attachStorage, startStorage } from "#storage";
import { inFolder, segmentsOf, session, threeFrames } from "../../test/support/embedded.ts";
import { append, replayed, take } from "../journal.cases.ts";
import { flush } from "../tables.cases.ts";
import { createGeneration } from "./generation.ts";
import { GenerationFile } from "./generation-file.ts";
import { Segments } from "./segments.ts";

/** The segments of a journal folder, and a worker to which some may be granted. */
async function withWorker(dir: string, sync?: () => Promise<void>) {
  const journal = join(dir, "journal");
  await mkdir(journal);
  const path = join(dir, "generation");
  const generation = new GenerationFile(path, await createGeneration(path));
  const segments = new Segments(journal, generation, new Float64Array(limits.shardCount), sync);
  const owner = {};
  segments.workerAdded(owner);
  return { journal, segments, owner };
}

test.serial(
  "a segment is removed only when all of its entries are in the tables, whatever a trim asks for",
  inFolder(async (t, dir) => {
    // Three starts leave three segments, each with entries of both shards.
    for (let seq = 1; seq <= 3; seq++)
      await session(dir, async ({ journal }) => {
        for (const owner of await journal.open([1, 2], 1))
          await append(journal, owner, seq, [`${owner.shard}.${seq}`]);
      });
    await session(dir, async ({ journal, tables }) => {
      const [one, two] = await journal.open([1, 2], 1);
      await journal.trim(1, one!.epoch, 3);
      await journal.trim(2, two!.epoch, 3);
      t.is((await segmentsOf(dir)).length, 3, "nothing is in the tables");
      await tables.write([flush(1, 3, []), flush(2, 1, [])]);
      await journal.trim(1, one!.epoch, 3);
      await journal.trim(2, two!.epoch, 3);
      t.is((await segmentsOf(dir)).length, 2, "shard 2 needs its entries after 1");
      t.deepEqual(await replayed(journal, 2, 1), ["2:2.2", "3:2.3"]);
      await tables.write([flush(2, 3, [])]);
      await journal.trim(2, two!.epoch, 3);
      t.is((await segmentsOf(dir)).length, 0);
    });
    await session(dir, async ({ journal }) => {
      t.deepEqual(
        (await journal.open([1, 2], 1)).map(({ head }) => head),
        [3, 3],
      );
    });
  }),
);

test.serial(
  "a start removes segments whose entries are all in the tables",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await session(dir, async ({ tables }) => tables.write([flush(1, 3, [])]));
    await session(dir, async () => t.is((await segmentsOf(dir)).length, 0));
  }),
);

test.serial(
  "a trimmed segment is used again, and its old frames do not come back",
  inFolder(async (t, dir) => {
    await session(dir, async ({ journal, tables }, host) => {
      const owner = await take(journal, 1);
      for (let seq = 1; seq <= 50; seq++) await append(journal, owner, seq, [`old ${seq}`]);
      await tables.write([flush(1, 50, [])]);
      await journal.trim(1, owner.epoch, 50);
      const other = await attachStorage(host.bootstrap(1).data);
      await append(other.journal, await take(other.journal, 1), 51, ["new"]);
      await other.close();
    });
    const before = await readdir(join(dir, "journal"));
    t.true(before.some((name) => name.startsWith("spare-")));
    await session(dir, async ({ journal }, _host, log) => {
      t.is((await take(journal, 1)).head, 51);
      t.deepEqual(await replayed(journal, 1, 50), ["51:new"]);
      t.deepEqual(log, []);
    });
  }),
);

test.serial(
  "a worker ends without sealing its segment: its entries are found, and the segment is removed in the end",
  inFolder(async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const bootstrap = host.bootstrap(0);
    const gone = await attachStorage(bootstrap.data);
    await append(gone.journal, await take(gone.journal, 1), 1, ["a"]);
    // As when a thread ends: its ports close, and it seals nothing.
    (bootstrap.data as { control: { close(): void } }).control.close();
    const next = await attachStorage(host.bootstrap(0).data);
    const owner = await take(next.journal, 1);
    t.is(owner.head, 1);
    t.deepEqual(await replayed(next.journal, 1, 0), ["1:a"]);
    await next.tables.write([flush(1, 1, [])]);
    await next.journal.trim(1, owner.epoch, 1);
    t.is((await segmentsOf(dir)).length, 0);
    await next.close();
    await host.close();
  }),
);

test.serial(
  "a folder cannot be synced for a while: once it can, segments are granted and freed again",
  inFolder(async (t, dir) => {
    let broken = false;
    const { journal, segments, owner } = await withWorker(dir, async () => {
      if (broken) throw new Error("too many open files");
    });
    broken = true;
    await t.throwsAsync(segments.grant(owner, true), { message: "too many open files" });
    broken = false;
    const first = await segments.grant(owner, true);
    t.deepEqual(await segmentsOf(dir), [basename(first.path)]);

    broken = true;
    await t.throwsAsync(segments.sealed(first.path, 8_192, [[1, 5]]).then(() => segments.trim([[1, 5]])));
    broken = false;
    await segments.trim([]);
    await segments.close();
    t.deepEqual(segments.paths(), []);
    const again = await segments.grant(owner, true);
    await segments.close();
    t.is((await readdir(journal)).length, 2, "one in use, one in reserve");
    t.deepEqual(await segmentsOf(dir), [basename(again.path)]);
  }),
);

test.serial(
  "a worker that ended before its segment was ready leaves no segment behind",
  inFolder(async (t, dir) => {
    const { segments, owner } = await withWorker(dir);
    const granted = segments.grant(owner, true);
    segments.workerGone(owner, () => 0);
    await granted;
    await segments.trim([]);
    await segments.close();
    t.deepEqual(segments.paths(), []);
  }),
);

test.serial(
  "a close waits until the spare that the last grant took is replaced",
  inFolder(async (t, dir) => {
    const { journal, segments, owner } = await withWorker(dir);
    const granted = segments.grant(owner, true);
    await segments.close();
    const files = await readdir(journal);
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(journal, name))).size));
    t.deepEqual(sizes, [limits.segmentStartBytes, limits.segmentStartBytes], "one in use, one in reserve");
    await granted;
  }),
);
