/** A journal that lost a file, or has another file in its place: the start and `data verify` say so. */
import { cp, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { attachStorage, StorageError, startStorage, verifyData } from "#storage";
import {
  inFolder,
  segmentsOf,
  session,
  threeFrames,
  threeFramesKilled,
} from "../../test/support/embedded.ts";
import { append, replayed, take } from "../journal.cases.ts";
import { flush, put } from "../tables.cases.ts";

/** Start and verify give the same error and change nothing: a second start is refused with it too. */
async function refused(t: ExecutionContext, dir: string, message: RegExp): Promise<void> {
  for (let start = 0; start < 2; start++) {
    const error = await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      instanceOf: StorageError,
      message,
    });
    t.is(error.kind, "corrupt");
  }
  const { sound, findings } = await verifyData({ engine: "embedded", dir });
  t.false(sound);
  t.true(
    findings.some((finding) => finding.startsWith("DAMAGED: ") && message.test(finding)),
    findings.join("\n"),
  );
}

test.serial(
  "the newest segment is removed after a clean stop: the start is refused and names the file",
  inFolder(async (t, dir) => {
    const { path } = await threeFrames(dir);
    await rm(path);
    await refused(t, dir, /journal\/000000000001\.seg is missing: the file "generation" lists it/);
  }),
);

test.serial(
  "the newest segment is removed after a kill: the start is refused and names the file",
  inFolder(async (t, dir) => {
    const killed = await threeFramesKilled(dir);
    await rm(killed.path);
    await refused(t, killed.dir, /journal\/000000000001\.seg is missing/);
  }),
);

test.serial(
  "the whole journal folder is removed: the start is refused and names a file",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await rm(join(dir, "journal"), { recursive: true });
    await refused(t, dir, /journal\/000000000001\.seg is missing/);
  }),
);

test.serial(
  "an older segment is removed: the start is refused and names the file",
  inFolder(async (t, dir) => {
    const { path } = await threeFrames(dir);
    await session(dir, async ({ journal }) => append(journal, await take(journal, 1), 4, ["value 4"]));
    await rm(path);
    await refused(t, dir, /journal\/000000000001\.seg is missing/);
  }),
);

test.serial(
  "a closed segment is replaced by an older copy of itself: the start is refused and says what is missing",
  inFolder(async (t, dir) => {
    const older = await threeFramesKilled(dir);
    const running = join(dir, "running");
    // The copy was taken before the segment was closed with a frame of 24 bytes.
    await rename(older.path, join(running, "journal", "000000000001.seg"));
    await refused(t, running, /000000000001\.seg ends at offset 4264 and was closed at offset 4288/);
  }),
);

test.serial(
  "a segment is replaced by one of the same name from another folder: the start is refused",
  inFolder(async (t, dir) => {
    const [ours, other] = [join(dir, "ours"), join(dir, "other")];
    const { path } = await threeFrames(ours);
    await rename((await threeFrames(other)).path, path);
    await refused(t, ours, /000000000001\.seg is not the segment that the file "generation" lists/);
  }),
);

test.serial(
  "a segment that was in use at a kill is cut short: the start is refused",
  inFolder(async (t, dir) => {
    const killed = await threeFramesKilled(dir);
    await truncate(killed.path, 4_180);
    await refused(
      t,
      killed.dir,
      /000000000001\.seg has 4180 bytes and was made with 4194304: its end is cut off/,
    );
  }),
);

test.serial(
  "the tables are replaced by an older copy after the journal dropped what they had: the start is refused",
  inFolder(async (t, dir) => {
    const data = join(dir, "data");
    await session(data, async ({ tables }) => tables.write([flush(1, 0, [put("k", "v0", 0)])]));
    await cp(join(data, "tables"), join(dir, "older"), { recursive: true });
    await session(data, async ({ journal, tables }) => {
      const owner = await take(journal, 1);
      await append(journal, owner, 1, ["value 1"]);
      await tables.write([flush(1, 1, [put("k", "v1", 1)])]);
    });
    // The start after it drops the segment.
    await session(data, async () => t.deepEqual(await segmentsOf(data), []));
    await rm(join(data, "tables"), { recursive: true });
    await rename(join(dir, "older"), join(data, "tables"));
    await refused(t, data, /tables of shard 1 reach sequence 0, and reached 1 when the journal dropped/);
  }),
);

test.serial(
  "the tables are a newer copy than the journal: the start is refused",
  inFolder(async (t, dir) => {
    const [data, older] = [join(dir, "data"), join(dir, "older")];
    const write = (seq: number) =>
      session(data, async ({ journal, tables }) => {
        await append(journal, await take(journal, 1), seq, [`value ${seq}`]);
        await tables.write([flush(1, seq, [put("k", `v${seq}`, seq)])]);
      });
    await write(1);
    await cp(data, older, { recursive: true });
    await write(2);
    await rm(join(older, "tables"), { recursive: true });
    await rename(join(data, "tables"), join(older, "tables"));
    await refused(t, older, /tables of shard 1 reach sequence 2, but its journal ends at 1: .* newer copy/);
  }),
);

test.serial(
  "segments are trimmed, reused and left by a worker that ended: every later start finds the listed segments",
  inFolder(async (t, dir) => {
    let head = 0;
    for (let start = 0; start < 6; start++) {
      const host = await startStorage({ engine: "embedded", dir });
      const bootstrap = host.bootstrap(0);
      const storage = await attachStorage(bootstrap.data);
      const owner = await take(storage.journal, 1);
      t.is(owner.head, head);
      await append(storage.journal, owner, ++head, [`v${head}`]);
      if (start % 2 === 1) {
        await storage.tables.write([flush(1, head, [])]);
        await storage.journal.trim(1, owner.epoch, head);
      }
      if (start % 3 === 2) (bootstrap.data as { control: { close(): void } }).control.close();
      else await storage.close();
      await host.close();
      t.true((await verifyData({ engine: "embedded", dir })).sound);
    }
    await session(dir, async ({ journal, tables }) => {
      t.deepEqual(
        (await replayed(journal, 1, await tables.watermark(1))).length,
        head - (await tables.watermark(1)),
      );
    });
    t.is((await stat(join(dir, "generation"))).size, 2 * 64 * 1_024, "its size is fixed");
  }),
);
