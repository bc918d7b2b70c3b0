import { readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { StorageError, startStorage, verifyData } from "#storage";
import { dropEntries, inFolder, journalUpTo, session } from "../../test/support/embedded.ts";
import { drop, flush, put } from "../tables.cases.ts";
import { checkTables } from "./tables-check.ts";

async function withRows(dir: string): Promise<string> {
  await session(dir, async ({ journal, tables }) => {
    await journalUpTo(journal, 1, 1);
    const rows = Array.from({ length: 500 }, (_, i) =>
      put(`k${i}`, "v".repeat(i % 50 === 0 ? 9_000 : 500), 1),
    );
    await tables.write([flush(1, 1, rows)]);
  });
  await dropEntries(dir);
  return join(dir, "tables", "data.mdb");
}

async function refused(t: ExecutionContext, dir: string, message: RegExp): Promise<void> {
  const error = await t.throwsAsync(startStorage({ engine: "embedded", dir }), {
    instanceOf: StorageError,
    message,
  });
  t.is(error.kind, "corrupt");
  const { sound, findings } = await verifyData({ engine: "embedded", dir });
  t.false(sound);
  t.true(
    findings.some((finding) => finding.startsWith("DAMAGED: ") && message.test(finding)),
    findings.join("\n"),
  );
}

test.serial(
  "the tables' file is cut short anywhere: start and verify report it, and the process goes on",
  inFolder(async (t, dir) => {
    const file = await withRows(dir);
    const whole = await readFile(file);
    for (const length of [0, 100, 5_000, 8_192, whole.length >> 1, whole.length - 4_096, whole.length - 1]) {
      await truncate(file, length);
      await refused(
        t,
        dir,
        /cannot be opened: .*data\.mdb is (cut short: it has \d+ bytes|corrupt at offset)/,
      );
      await writeFile(file, whole);
    }
    t.true((await verifyData({ engine: "embedded", dir })).sound);
  }),
);

test.serial(
  "the tables' file is gone: start and verify report it",
  inFolder(async (t, dir) => {
    await rm(await withRows(dir));
    await refused(t, dir, /cannot be opened: .*data\.mdb is missing/);
  }),
);

test.serial(
  "a file that ends before its last page is accepted if that page is free",
  inFolder(async (t, dir) => {
    let short = 0;
    // Whether two flushes share a transaction depends on timing: on a busy machine it may take more rounds.
    for (let round = 1; round <= 20 || (short === 0 && round <= 200); round++) {
      await session(dir, async ({ journal, tables }) => {
        await journalUpTo(journal, 1, round * 2);
        // Flushes that wait together share a transaction, which then puts and deletes long values.
        const keys = Array.from({ length: 30 }, (_, i) => `${round}.${i}`);
        const value = "v".repeat(4_000 + round * 700);
        await Promise.all([
          tables.write([
            flush(
              1,
              round * 2 - 1,
              keys.map((key) => put(key, value, round * 2 - 1)),
            ),
          ]),
          tables.write([
            flush(
              1,
              round * 2,
              keys.map((key) => drop(key, round * 2)),
            ),
          ]),
        ]);
      });
      const path = join(dir, "tables");
      await t.notThrowsAsync(checkTables(path, true));
      const bytes = await readFile(join(path, "data.mdb"));
      const last = Math.max(...[0, 4_096].map((meta) => Number(bytes.readBigUInt64LE(meta + 144))));
      if ((await stat(join(path, "data.mdb"))).size < (last + 1) * 4_096) short++;
    }
    t.true(short > 0, "a file that ends before its last page was made");
  }),
);
