import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { StorageError, startStorage, verifyData } from "#storage";
import { dropEntries, inFolder, journalUpTo, session } from "../../test/support/embedded.ts";
import { flush, put, scanned } from "../tables.cases.ts";
import { watermarkKey } from "./row-key.ts";
import { openRow, sealRow } from "./row-value.ts";

/** Changes `count` bytes, some way after its start, wherever the tables' file contains `text`. */
async function change(dir: string, text: string | Buffer, count: number): Promise<void> {
  const file = join(dir, "tables", "data.mdb");
  const bytes = await readFile(file);
  let places = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1), places++)
    for (let i = 0; i < count; i++) bytes[at + text.length + i]! ^= 0x55;
  if (places === 0) throw new Error("the row is not in the file");
  await writeFile(file, bytes);
}

test.serial(
  "50 bytes of a row change on the disk: every read of it fails and names shard and row, and other shards are readable",
  inFolder(async (t, dir) => {
    const row = (name: string) => put(name, `${name}-${"v".repeat(200)}`, 1);
    await session(dir, async ({ journal, tables }) => {
      for (const shard of [1, 2]) await journalUpTo(journal, shard, 1);
      await tables.write([flush(1, 1, [row("sound"), row("struck")]), flush(2, 1, [row("other")])]);
    });
    await dropEntries(dir);
    await change(dir, "struck-vvvv", 50);
    await session(dir, async (storage) => {
      const { tables } = storage;
      const key = (name: string) => ({ shard: 1, partition: "p", key: name });
      const reads = {
        get: () => tables.get(key("struck")),
        getMany: () => tables.getMany([key("sound"), key("struck")]),
        scan: () => tables.scan({ shard: 1, partition: "p", limit: 10 }),
        reverse: () => tables.scan({ shard: 1, partition: "p", limit: 10, reverse: true }),
      };
      for (const [name, read] of Object.entries(reads)) {
        const error = await t.throwsAsync(read(), { instanceOf: StorageError }, name);
        t.is(error.kind, "corrupt");
        t.is(error.shard, 1);
        t.is(error.message, "the row pstruck of shard 1 is corrupt: its checksum does not match");
      }
      t.truthy(await tables.get(key("sound")), "a row beside it");
      t.is(await tables.watermark(1), 1);
      t.is((await scanned(storage, { shard: 2 })).length, 1);
    });
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(
      findings.join("\n"),
      /DAMAGED: .*tables: 1 row of shard 1 with a wrong checksum, the first is the row pstruck\./,
    );
    t.regex(findings.join("\n"), /tables: 2 rows with \d+ bytes, every checksum right\./);
  }),
);

test.serial(
  "a watermark changes on the disk: start and verify fail and name the shard",
  inFolder(async (t, dir) => {
    await session(dir, async ({ journal, tables }) => {
      await journalUpTo(journal, 3, 7);
      await tables.write([flush(3, 7, [put("k", "v", 7)])]);
    });
    await dropEntries(dir);
    await change(dir, Buffer.from(watermarkKey(3), "latin1"), 8);
    const error = await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
      instanceOf: StorageError,
      message: "the watermark of shard 3 is corrupt: its checksum does not match",
    });
    t.is(error.kind, "corrupt");
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(findings.join("\n"), /DAMAGED: .*tables: 1 watermark with a wrong checksum\./);
  }),
);

test("a value passes its check only under its own key and with every byte unchanged", (t) => {
  for (const value of ["", "v", "value ".repeat(100)]) {
    const stored = Buffer.alloc(value.length + 4);
    stored.write(value);
    sealRow(stored, 0, value.length, "key");
    t.is(openRow("key", stored)?.toString(), value);
    t.is(openRow("kez", stored), undefined);
    t.is(openRow("key ", stored), undefined);
    for (let at = 0; at < stored.length; at++) {
      stored[at]! ^= 1;
      t.is(openRow("key", stored), undefined, `byte ${at}`);
      stored[at]! ^= 1;
    }
  }
  t.is(openRow("key", Buffer.alloc(3)), undefined, "shorter than a checksum");
});
