import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { limits } from "#base";
import { type Storage, StorageError, startStorage, verifyData } from "#storage";
import { unpackFolder } from "../../test/golden/packed.ts";
import { inFolder, session } from "../../test/support/embedded.ts";
import { append, take } from "../journal.cases.ts";
import { flush, put } from "../tables.cases.ts";
import { openEnvironment } from "./environment.ts";
import { createGeneration, readGeneration } from "./generation.ts";
import { watermarkedShard } from "./row-key.ts";

const golden = new URL("../../test/golden/release-0.1-killed.packed", import.meta.url);

function firstFormat(dir: string): string {
  unpackFolder(readFileSync(golden), dir);
  return dir;
}

/** The rows of a folder of format 1, by key. */
async function storedRows(dir: string): Promise<Map<string, string>> {
  const plain = { decode: (room: Buffer) => Buffer.from(room.toString("latin1"), "latin1") };
  const database = openEnvironment(join(dir, "tables"), plain);
  const rows = new Map<string, string>();
  for (const { key, value } of database.getRange({ start: "" })) rows.set(key, value.toString("latin1"));
  await database.close();
  return rows;
}

/** The same rows read through the present tables, which check every checksum. */
async function readRows({ tables }: Storage, keys: Iterable<string>): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (const key of keys) {
    const [shard, length] = [0, 2].map((at) => (key.charCodeAt(at) << 8) | key.charCodeAt(at + 1));
    if (shard === 0xffff) {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleBE(await tables.watermark(watermarkedShard(key)));
      rows.set(key, bytes.toString("latin1"));
      continue;
    }
    const place = { shard: shard!, partition: key.slice(4, 4 + length!), key: key.slice(4 + length!) };
    rows.set(key, Buffer.from((await tables.get(place)) ?? []).toString("latin1"));
  }
  return rows;
}

/** What a kill may leave of an upgrade, and whether the folder still has format 1. */
const states: Record<string, (dir: string, upgraded: string) => void> = {
  "before it begins": () => undefined,
  "while rows are copied": (dir, upgraded) => {
    mkdirSync(join(dir, "tables.upgrading"));
    cpSync(join(upgraded, "tables/data.mdb"), join(dir, "tables.upgrading/data.mdb"));
    truncateSync(join(dir, "tables.upgrading/data.mdb"), 8_192);
  },
  "before the new generation file": (dir, upgraded) =>
    cpSync(join(upgraded, "tables"), join(dir, "tables.upgraded"), { recursive: true }),
  "after the new generation file": (dir, upgraded) => {
    cpSync(join(upgraded, "tables"), join(dir, "tables.upgraded"), { recursive: true });
    cpSync(join(upgraded, "generation"), join(dir, "generation"));
  },
  "after the old tables are gone": (dir, upgraded) => {
    renameSync(join(upgraded, "tables"), join(dir, "tables.upgraded"));
    cpSync(join(upgraded, "generation"), join(dir, "generation"));
    rmSync(join(dir, "tables"), { recursive: true });
  },
};

for (const [moment, leave] of Object.entries(states))
  test.serial(
    `an upgrade of data format 1 is killed ${moment}: the next start completes it and has every row`,
    inFolder(async (t, parent) => {
      const dir = firstFormat(join(parent, "data"));
      const rows = await storedRows(dir);
      t.true(rows.size > 100);
      const upgraded = firstFormat(join(parent, "upgraded"));
      await session(upgraded, async () => undefined);
      // A start would add the journal's segments to the list; this compares the file as the upgrade leaves it.
      leave(dir, upgraded);
      await session(dir, async (storage) => t.deepEqual(await readRows(storage, rows.keys()), rows));
      t.false(existsSync(join(dir, "tables.upgrading")) || existsSync(join(dir, "tables.upgraded")));
      t.deepEqual(
        (await verifyData({ engine: "embedded", dir })).findings.filter((one) => /DAMAGED/.test(one)),
        [],
      );
      await session(dir, async (_storage, _host, log) => t.deepEqual(log, []));
    }),
  );

test.serial(
  "an upgrade is logged, and verify of a folder that needs one says what to do",
  inFolder(async (t, parent) => {
    const dir = firstFormat(join(parent, "data"));
    const message = /data format 1, this build reads format 2: start the service once, which upgrades/;
    await t.throwsAsync(verifyData({ engine: "embedded", dir }), { instanceOf: StorageError, message });
    await session(dir, async (_storage, _host, log) => {
      t.true(log.some((sentence) => /has data format 1 and is upgraded to format 2/.test(sentence)));
      t.true(log.some((sentence) => /^\d+ rows in .* have checksums now/.test(sentence)));
    });
    states["after the new generation file"]!(firstFormat(join(parent, "cut off")), dir);
    await t.throwsAsync(verifyData({ engine: "embedded", dir: join(parent, "cut off") }), {
      instanceOf: StorageError,
      message: /its upgrade was cut off: start the service once, which ends it/,
    });
  }),
);

test.serial(
  "a folder of format 1 whose tables are damaged is refused and not changed",
  inFolder(async (t, parent) => {
    const dir = firstFormat(join(parent, "data"));
    const before = readFileSync(join(dir, "generation"));
    rmSync(join(dir, "tables/data.mdb"));
    await t.throwsAsync(
      startStorage({ engine: "embedded", dir }, () => undefined),
      {
        instanceOf: StorageError,
        message: /data.mdb is missing/,
      },
    );
    t.deepEqual(readFileSync(join(dir, "generation")), before);
    t.false(existsSync(join(dir, "tables.upgrading")));
  }),
);

test.serial(
  "an earlier build upgraded data format 1 and is killed before its first open: the next start has every row, and refuses newer tables again",
  inFolder(async (t, parent) => {
    const [dir, older] = [join(parent, "data"), join(parent, "older")];
    // Entries of shard 1 have left the journal; the segment of shard 2 is there.
    await session(dir, async ({ journal, tables }) => {
      await append(journal, await take(journal, 1), 1, ["one", "two"]);
      await tables.write([flush(1, 2, [put("k", "v", 2)])]);
    });
    await session(dir, async ({ journal }) => append(journal, await take(journal, 2), 1, ["one"]));
    // That build listed the segments, and did not say what had left the journal.
    const path = join(dir, "generation");
    const { generation } = await readGeneration(path);
    t.is(generation.dropped[1], 2);
    t.is(generation.heads[1], 0);
    await createGeneration(path, { ...generation, dropped: new Float64Array(limits.shardCount), version: 1 });
    t.true((await verifyData({ engine: "embedded", dir })).sound);
    await session(dir, async ({ journal, tables }) => {
      t.is((await take(journal, 1)).head, 2);
      t.is(await tables.watermark(1), 2);
    });
    t.true((await verifyData({ engine: "embedded", dir })).sound);
    cpSync(dir, older, { recursive: true });
    await session(dir, async ({ journal, tables }) => {
      await append(journal, await take(journal, 1), 3, ["three"]);
      await tables.write([flush(1, 3, [put("k", "w", 3)])]);
    });
    rmSync(join(older, "tables"), { recursive: true });
    cpSync(join(dir, "tables"), join(older, "tables"), { recursive: true });
    await t.throwsAsync(startStorage({ engine: "embedded", dir: older }), {
      instanceOf: StorageError,
      message: /tables of shard 1 reach sequence 3, but its journal ends at 2/,
    });
  }),
);
