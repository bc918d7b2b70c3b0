import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { type Storage, StorageError, startStorage, verifyData } from "#storage";
import { unpackFolder } from "../../test/golden/packed.ts";
import { inFolder, session } from "../../test/support/embedded.ts";
import { openEnvironment } from "./environment.ts";
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
