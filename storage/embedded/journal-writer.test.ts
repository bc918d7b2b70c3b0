import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../test/support/eventually.ts";
import { append, rejects } from "../journal.cases.ts";
import type { Journal } from "../journal.ts";
import { type JournalFile, type OpenJournalFile, openJournalFile } from "./journal-file.ts";
import { JournalFolder, recovered } from "./journal-folder.cases.ts";
import type { JournalWriter } from "./journal-writer.ts";

const withFolder =
  (run: (t: import("ava").ExecutionContext, folder: JournalFolder) => Promise<void>) =>
  async (t: import("ava").ExecutionContext) => {
    const folder = await JournalFolder.make();
    try {
      await run(t, folder);
    } finally {
      await folder.remove();
    }
  };

/** Real files; the next writes fail as the test says. */
function failing(): { openFile: OpenJournalFile; next: Failure[]; writes: number } {
  const state = { next: [] as Failure[], writes: 0, openFile: open };
  function open(path: string): JournalFile {
    const file = openJournalFile(path);
    return {
      ...file,
      write: (bytes, length, offset, done) => {
        state.writes++;
        const failure = state.next.shift();
        if (!failure) return file.write(bytes, length, offset, done);
        const error = Object.assign(new Error(failure.code), { code: failure.code });
        file.write(bytes, Math.floor(length * failure.written), offset, () => done(error));
      },
    };
  }
  return state;
}

interface Failure {
  readonly code: string;
  readonly written: number;
}

const asJournal = (writer: JournalWriter) => writer as unknown as Journal;

test(
  "appends of several shards that wait at the same time share one sync",
  withFolder(async (t, folder) => {
    const files = failing();
    const writer = folder.writer(files.openFile);
    const owners = [0, 1, 2, 3, 4, 5, 6, 7].map((shard) => folder.open(writer, shard));
    await Promise.all(owners.map((owner) => append(asJournal(writer), owner, 1, ["first"])));
    t.is(files.writes, 1);
    const second = owners.slice(0, 4).map((owner) => append(asJournal(writer), owner, 2, ["second"]));
    await new Promise(setImmediate);
    const third = owners.slice(4).map((owner) => append(asJournal(writer), owner, 2, ["third"]));
    await Promise.all([...second, ...third]);
    t.is(files.writes, 3);
    await writer.close();
    t.is((await recovered(folder.dir, folder.generation, [0, 7])).length, 4);
  }),
);

for (const [what, code, written] of [
  ["full disk", "ENOSPC", 0],
  ["full disk", "ENOSPC", 0.5],
  ["full disk", "ENOSPC", 1],
  ["a used-up disk quota", "EDQUOT", 0.5],
] as const)
  test(
    `${what} after ${written * 100} % of a frame: the append is refused, the file is cut back, and the next append succeeds without a restart`,
    withFolder(async (t, folder) => {
      const files = failing();
      const writer = folder.writer(files.openFile);
      const owner = folder.open(writer, 1);
      await append(asJournal(writer), owner, 1, ["a"]);
      files.next.push({ code, written }, { code, written });
      await rejects(t, append(asJournal(writer), owner, 2, ["refused"]), "full");
      t.true(folder.status.journalFull);
      await rejects(t, append(asJournal(writer), owner, 2, ["refused too"]), "full");
      t.deepEqual(await recovered(folder.dir, folder.generation, [1]), ["1/1:a"], "nothing of it is on disk");
      await append(asJournal(writer), owner, 2, ["b"]);
      t.false(folder.status.journalFull);
      t.deepEqual(folder.stops, []);
      await writer.close();
      t.deepEqual(await recovered(folder.dir, folder.generation, [1]), ["1/1:a", "1/2:b"]);
    }),
  );

test(
  "the disk is full and the reserve is removed: the frame is cut back, written again and acknowledged",
  withFolder(async (t, folder) => {
    const files = failing();
    const writer = folder.writer(files.openFile);
    const owner = folder.open(writer, 1);
    await append(asJournal(writer), owner, 1, ["a"]);
    let giveUp: (() => void) | undefined;
    folder.reserveReleased = () =>
      new Promise((resolve) => {
        giveUp = resolve;
      });
    files.next.push({ code: "ENOSPC", written: 0.5 });
    const appended = append(asJournal(writer), owner, 2, ["b"]);
    await eventually("the frame is cut back", async () =>
      (await stat(join(folder.dir, "000000000001.seg"))).size < folder.segmentBytes ? true : undefined,
    );
    (await eventually("the reserve is asked for", () => giveUp))();
    await appended;
    t.false(folder.status.journalFull);
    // Only once: a reserve that is used up does not help a second time.
    folder.reserveReleased = () => Promise.resolve();
    files.next.push({ code: "ENOSPC", written: 0 }, { code: "ENOSPC", written: 0 });
    await rejects(t, append(asJournal(writer), owner, 3, ["refused"]), "full");
    t.true(folder.status.journalFull);
    await writer.close();
    t.deepEqual(await recovered(folder.dir, folder.generation, [1]), ["1/1:a", "1/2:b"]);
  }),
);

test(
  "an fsync error stops the process, acknowledges nothing and is never retried",
  withFolder(async (t, folder) => {
    const files = failing();
    const writer = folder.writer(files.openFile);
    const owner = folder.open(writer, 1);
    await append(asJournal(writer), owner, 1, ["a"]);
    files.next.push({ code: "EIO", written: 1 });
    const writes = files.writes;
    await rejects(t, append(asJournal(writer), owner, 2, ["b"]), "closed");
    await rejects(t, append(asJournal(writer), owner, 2, ["b"]), "closed");
    t.is(files.writes, writes + 1);
    t.is(folder.stops.length, 1);
    t.regex(folder.stops[0]!, /\.seg failed: EIO/);
  }),
);

test(
  "a full segment is sealed, and the sequence goes on in the next",
  withFolder(async (t, folder) => {
    folder.segmentBytes = 8_192;
    const writer = folder.writer();
    const owner = folder.open(writer, 3);
    const expected: string[] = [];
    for (let seq = 1; seq <= 40; seq++) {
      await append(asJournal(writer), owner, seq, ["x".repeat(500)]);
      expected.push(`3/${seq}:${"x".repeat(500)}`);
    }
    await writer.close();
    t.true(folder.sealed.length > 4);
    t.deepEqual(await recovered(folder.dir, folder.generation, [3]), expected);
  }),
);

test(
  "a segment that could not be opened at first is used once it can be opened",
  withFolder(async (t, folder) => {
    let refusals = 3;
    const writer = folder.writer((path) => {
      if (refusals-- > 0) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
      return openJournalFile(path);
    });
    const owner = folder.open(writer, 1);
    for (let i = 0; i < 3; i++) await rejects(t, append(asJournal(writer), owner, 1, ["a"]), "unavailable");
    await append(asJournal(writer), owner, 1, ["a"]);
    await writer.close();
    t.is((await readdir(folder.dir)).length, 1);
  }),
);

test(
  "an append with a gap, or a second one under way, fails an assertion and writes nothing",
  withFolder(async (t, folder) => {
    const writer = folder.writer();
    const owner = folder.open(writer, 1);
    await t.throwsAsync(append(asJournal(writer), owner, 2, ["gap"]), { name: "AssertionError" });
    const first = append(asJournal(writer), owner, 1, ["a"]);
    await t.throwsAsync(append(asJournal(writer), owner, 1, ["again"]), { name: "AssertionError" });
    await first;
    await writer.close();
    t.deepEqual(await recovered(folder.dir, folder.generation, [1]), ["1/1:a"]);
  }),
);

test(
  "a close writes the appends that wait and refuses new ones",
  withFolder(async (t, folder) => {
    const writer = folder.writer();
    const owner = folder.open(writer, 1);
    const waiting = append(asJournal(writer), owner, 1, ["a"]);
    const closed = writer.close();
    await rejects(t, append(asJournal(writer), owner, 2, ["late"]), "closed");
    await waiting;
    await closed;
    t.deepEqual(await recovered(folder.dir, folder.generation, [1]), ["1/1:a"]);
  }),
);

test(
  "a torn last frame is cut off at the start, and the file ends there",
  withFolder(async (t, folder) => {
    const files = failing();
    const writer = folder.writer(files.openFile);
    const owner = folder.open(writer, 1);
    await append(asJournal(writer), owner, 1, ["a".repeat(3_000)]);
    files.next.push({ code: "EIO", written: 0.6 });
    await rejects(t, append(asJournal(writer), owner, 2, ["b".repeat(3_000)]), "closed");
    const [name] = await readdir(folder.dir);
    const before = (await stat(join(folder.dir, name!))).size;
    t.is((await recovered(folder.dir, folder.generation, [1])).length, 1);
    t.true((await stat(join(folder.dir, name!))).size < before);
    t.is(
      (await recovered(folder.dir, folder.generation, [1])).length,
      1,
      "and a second start finds the same",
    );
  }),
);
