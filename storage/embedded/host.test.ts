import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import {
  attachStorage,
  type Storage,
  StorageError,
  type StorageHost,
  startStorage,
  verifyData,
} from "#storage";
import { append, replayed, take } from "../journal.cases.ts";
import { flush, put, scanned } from "../tables.cases.ts";

const inFolder =
  (run: (t: ExecutionContext, dir: string) => Promise<void>) =>
  async (t: ExecutionContext): Promise<void> => {
    const dir = await mkdtemp(join(tmpdir(), "switchyard.host-"));
    try {
      await run(t, dir);
    } finally {
      await rm(dir, { recursive: true });
    }
  };

async function session<T>(
  dir: string,
  use: (storage: Storage, host: StorageHost, log: readonly string[]) => Promise<T>,
): Promise<T> {
  const log: string[] = [];
  const host = await startStorage({ engine: "embedded", dir }, (sentence) => log.push(sentence));
  const storage = await attachStorage(host.seat(0).data);
  try {
    return await use(storage, host, log);
  } finally {
    await storage.close();
    await host.close();
  }
}

const segmentsOf = async (dir: string) =>
  (await readdir(join(dir, "journal"))).filter((name) => name.endsWith(".seg")).sort();

/** Three frames of shard 1 in one segment; returns its path and where each frame ends. */
async function threeFrames(dir: string): Promise<{ path: string; ends: number[] }> {
  await session(dir, async ({ journal }) => {
    const owner = await take(journal, 1);
    for (const seq of [1, 2, 3]) await append(journal, owner, seq, [`value ${seq}`]);
  });
  const path = join(dir, "journal", (await segmentsOf(dir))[0]!);
  // Header block, then frames of 16 + 24 + 4 + 7 bytes, rounded up to 56.
  return { path, ends: [4_152, 4_208, 4_264] };
}

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
  "a torn tail is cut off and logged, and what came before is there",
  inFolder(async (t, dir) => {
    const { path, ends } = await threeFrames(dir);
    const bytes = await readFile(path);
    // The power went before the end of the third frame was written, and so before the segment was sealed.
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
  "a damaged frame before a valid one refuses the start, naming file and offset, and changes nothing",
  inFolder(async (t, dir) => {
    const { path, ends } = await threeFrames(dir);
    const bytes = await readFile(path);
    bytes[ends[0]! + 30]! ^= 4;
    await writeFile(path, bytes);
    const message = `${path}: the frame at offset ${ends[0]} is damaged, because a valid one follows at offset ${ends[1]}`;
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), { instanceOf: StorageError, message });
    t.deepEqual(await readFile(path), bytes);
    const report = await verifyData({ engine: "embedded", dir });
    t.false(report.sound);
    t.true(report.findings.includes(`DAMAGED: ${message}`), report.findings.join("\n"));
  }),
);

test.serial(
  "a lost segment refuses the start, naming shard and sequence",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    const [lost] = await segmentsOf(dir);
    await session(dir, async ({ journal }) => {
      await append(journal, await take(journal, 1), 4, ["value 4"]);
    });
    await rm(join(dir, "journal", lost!));
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      message: /journal of shard 1 lacks sequence 1/,
    });
    const report = await verifyData({ engine: "embedded", dir });
    t.false(report.sound);
    t.regex(report.findings.join("\n"), /DAMAGED: the journal of shard 1 lacks sequence 1/);
  }),
);

test.serial(
  "a journal without its generation file refuses the start",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await rm(join(dir, "generation"));
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      message: /who owns which shard is not known/,
    });
  }),
);

test.serial(
  "an older slot of the generation file never gives an epoch out twice",
  inFolder(async (t, dir) => {
    const { path } = await threeFrames(dir);
    const generation = join(dir, "generation");
    const bytes = await readFile(generation);
    bytes[8_192 + 100]! ^= 1;
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
  "segments go only when all their shards' entries are in the tables, whatever a trim asks for",
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
      const other = await attachStorage(host.seat(1).data);
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
  "a worker that is gone without a word leaves its entries to the next, and its segment goes in the end",
  inFolder(async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir });
    const seat = host.seat(0);
    const gone = await attachStorage(seat.data);
    await append(gone.journal, await take(gone.journal, 1), 1, ["a"]);
    // As when a thread ends: its ports close, nothing is sealed.
    (seat.data as { control: { close(): void } }).control.close();
    const next = await attachStorage(host.seat(0).data);
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
  "a folder copied while it is written opens: as after a loss of power, at most the unacknowledged is missing",
  inFolder(async (t, dir) => {
    await session(join(dir, "data"), async ({ journal, tables }) => {
      const owner = await take(journal, 1);
      let acknowledged = 0;
      const writing = (async () => {
        for (let seq = 1; seq <= 400; seq++) {
          await append(journal, owner, seq, [`v${seq}`]);
          acknowledged = seq;
          if (seq % 50 === 0) await tables.write([flush(1, seq - 20, [put("k", `${seq}`, seq - 20)])]);
        }
      })();
      for (let copy = 0; copy < 3; copy++) {
        const before = acknowledged;
        await mkdir(join(dir, `copy${copy}`));
        // The journal last: what the tables say must be in it.
        for (const part of ["generation", "tables", "objects", "journal"])
          await cp(join(dir, "data", part), join(dir, `copy${copy}`, part), { recursive: true });
        await session(join(dir, `copy${copy}`), async (storage) => {
          const { head } = await take(storage.journal, 1);
          t.true(head >= before, `${head} of ${before}`);
          await replayed(storage.journal, 1, await storage.tables.watermark(1));
        });
      }
      await writing;
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
  "verify says what a sound folder holds, in sentences",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await session(dir, async ({ tables }) => tables.write([flush(1, 1, [put("k", "value", 1)])]));
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.true(sound);
    const text = findings.join("\n");
    t.regex(text, /generation 1, 1 shard opened so far\./);
    t.regex(text, /3 entries, every checksum right up to offset 4288\./);
    t.regex(text, /1 row with 11 bytes, all of them readable\./);
    t.regex(text, /2 entries behind the watermarks wait for the tables\./);
    t.regex(text, /0 objects with 0 bytes\./);
  }),
);

test.serial(
  "verify names unreadable tables and goes on with the rest",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await writeFile(join(dir, "tables", "data.mdb"), Buffer.alloc(20_000, 9));
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(
      findings.join("\n"),
      /DAMAGED: the tables in .* cannot be opened: .*data.mdb is damaged at offset 0/,
    );
    t.regex(findings.join("\n"), /3 entries, every checksum right/);
  }),
);

test.serial(
  "verify refuses a folder in use, and a folder that is none",
  inFolder(async (t, dir) => {
    t.regex((await verifyData({ engine: "embedded", dir })).findings.join(), /not a data folder/);
    await session(dir, async () => {
      await t.throwsAsync(verifyData({ engine: "embedded", dir }), {
        message: new RegExp(`process ${process.pid}`),
      });
    });
  }),
);

test.serial(
  "verify survives tables that end a process which reads them",
  inFolder(async (t, dir) => {
    await session(dir, async ({ tables }) => {
      const rows = Array.from({ length: 500 }, (_, i) => put(`k${i}`, "v".repeat(500), 1));
      await tables.write([flush(1, 1, rows)]);
    });
    await truncate(join(dir, "tables", "data.mdb"), 8_192);
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(findings.join("\n"), /DAMAGED: .*tables cannot be read/);
  }),
);

test.serial(
  "unreadable tables refuse the start with a clear sentence",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await writeFile(join(dir, "tables", "data.mdb"), Buffer.alloc(20_000, 9));
    await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      message: /tables in .* cannot be opened/,
    });
  }),
);

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
