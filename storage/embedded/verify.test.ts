import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { verifyData } from "#storage";
import { inFolder, session, threeFrames } from "../../test/support/embedded.ts";
import { flush, put } from "../tables.cases.ts";

test.serial(
  "verify describes the contents of an intact folder, in sentences",
  inFolder(async (t, dir) => {
    await threeFrames(dir);
    await session(dir, async ({ tables }) => tables.write([flush(1, 1, [put("k", "value", 1)])]));
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.true(sound);
    const text = findings.join("\n");
    t.regex(text, /generation 1, 1 shard opened so far\./);
    t.regex(text, /3 entries, every checksum right up to offset 4288\./);
    t.regex(text, /1 row with 11 bytes, every checksum right\./);
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
      /DAMAGED: the tables in .* cannot be opened: .*data.mdb is corrupt at offset 0/,
    );
    t.regex(findings.join("\n"), /3 entries, every checksum right/);
  }),
);

test.serial(
  "verify refuses a folder in use, and a folder without data",
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
  "verify names a page that is random, and does not end with it",
  inFolder(async (t, dir) => {
    await session(dir, async ({ tables }) => {
      const rows = Array.from({ length: 500 }, (_, i) => put(`k${i}`, "v".repeat(500), 1));
      await tables.write([flush(1, 1, rows)]);
    });
    // The meta pages are intact, and every other page is random.
    const file = join(dir, "tables", "data.mdb");
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xff, 8_192));
    const { sound, findings } = await verifyData({ engine: "embedded", dir });
    t.false(sound);
    t.regex(findings.join("\n"), /DAMAGED: .*data\.mdb is corrupt at offset \d+: it is another page/);
  }),
);
