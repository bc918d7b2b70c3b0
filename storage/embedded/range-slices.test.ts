import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import test from "ava";
import { limits } from "#base";
import type { Storage, StorageHost, Tables } from "#storage";
import { inFolder, journalUpTo, session } from "../../test/support/embedded.ts";
import { sourceArguments } from "../../test/support/typescript/arguments.ts";
import type { EmbeddedBootstrap } from "../bootstrap.ts";
import { take } from "../journal.cases.ts";
import { flush, put, scanned } from "../tables.cases.ts";
import { Status } from "./status.ts";

const rowCount = 100_000;
const keyOf = (number: number) => `k${String(number).padStart(8, "0")}`;
const all = { partition: "p", from: "k", to: "l", seq: 3 };

/** Rows of shard 1, with watermark 1. */
async function fill({ journal, tables }: Storage, count = rowCount): Promise<void> {
  // Tables of a folder in which no shard was ever opened count as empty, and a start would remove them.
  await take(journal, 1);
  for (let from = 0; from < count; from += 20_000) {
    const rows = Array.from({ length: Math.min(20_000, count - from) }, (_, i) =>
      put(keyOf(from + i), "v", 1),
    );
    await tables.write([flush(1, 1, rows)]);
  }
}

async function rowsOf(tables: Tables): Promise<number> {
  return (await tables.scan({ shard: 1, partition: "p", limit: 1_000_000 })).length;
}

/** The number of transactions of the tables that `work` took. */
async function transactions(host: StorageHost, work: () => Promise<unknown>): Promise<number> {
  const status = new Status((host.bootstrap(1).data as EmbeddedBootstrap).status);
  const before = status.tablesVersion;
  await work();
  return status.tablesVersion - before;
}

test.serial(
  "a range delete of 100,000 rows: another shard's flush is stored between its slices, and its watermark moves last",
  inFolder((t, dir) =>
    session(dir, async (storage, host) => {
      const { tables } = storage;
      await fill(storage);
      let deleted = false;
      const changes = [put("z", "kept", 2), put(keyOf(7), "back", 3)];
      const count = await transactions(host, async () => {
        const deleting = tables.write([{ ...flush(1, 3, changes), deletedRanges: [all] }]).then(() => {
          deleted = true;
        });
        await tables.write([flush(2, 1, [put("a", "1", 1)])]);
        t.false(deleted);
        t.is(await tables.watermark(1), 1);
        await deleting;
      });
      t.true(count >= rowCount / limits.tablesSliceRowsMax, `${count} transactions`);
      t.is(await tables.watermark(1), 3);
      t.deepEqual(await scanned(storage, { shard: 1 }), [`${keyOf(7)}=back`, "z=kept"]);
    }),
  ),
);

test.serial(
  "a range delete of 40 rows of 1 MiB is applied in slices of 4 MiB",
  inFolder((t, dir) =>
    session(dir, async (storage, host) => {
      const { tables } = storage;
      const value = "x".repeat(1_024 * 1_024);
      for (let n = 0; n < 40; n++) await tables.write([flush(1, 1, [put(keyOf(n), value, 1)])]);
      const deletion = { ...flush(1, 3, []), deletedRanges: [all] };
      t.true((await transactions(host, () => tables.write([deletion]))) >= 10);
      t.is(await rowsOf(tables), 0);
    }),
  ),
);

test.serial(
  "a late flush of an earlier owner is stored between two slices: its rows in the range are deleted too",
  inFolder((t, dir) =>
    session(dir, async (storage) => {
      const { tables } = storage;
      await fill(storage);
      const deletedRanges = [{ ...all, from: "a", to: "b" }, all];
      const deleting = tables.write([{ ...flush(1, 4, []), deletedRanges }]);
      await tables.write([flush(2, 1, [put("a", "1", 1)])]);
      t.true((await rowsOf(tables)) < rowCount);
      // This owner does not know of the range delete, and puts a row where rows were deleted already.
      await tables.write([flush(1, 2, [put("a", "late", 2)])]);
      await deleting;
      t.is(await rowsOf(tables), 0);
      t.is(await tables.watermark(1), 4);
    }),
  ),
);

test.serial(
  "a flush with range deletes is repeated after it was stored: the rows that it put into the ranges stay",
  inFolder((t, dir) =>
    session(dir, async (storage) => {
      await fill(storage, 30_000);
      const again = { ...flush(1, 3, [put(keyOf(7), "back", 3)]), deletedRanges: [all] };
      for (let round = 0; round < 2; round++) {
        await storage.tables.write([again]);
        t.deepEqual(await scanned(storage, { shard: 1 }), [`${keyOf(7)}=back`]);
      }
    }),
  ),
);

test.serial(
  "a process is killed between two slices: no stored row is lost, and the next flush continues the delete",
  inFolder(async (t, dir) => {
    const script = fileURLToPath(new URL("./range-slices.child.ts", import.meta.url));
    let left = 0;
    // A kill after the last slice would prove nothing.
    for (let round = 0; left === 0 && round < 10; round++) {
      await rm(dir, { recursive: true });
      await session(dir, async (storage) => {
        for (const [shard, seq] of [
          [1, 3],
          [2, 1],
        ] as const)
          await journalUpTo(storage.journal, shard, seq);
        await fill(storage, 2 * rowCount);
      });
      const child = spawn(process.execPath, [...sourceArguments, script, dir], {
        stdio: "inherit",
      });
      t.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
      await session(dir, async (storage) => {
        left = await rowsOf(storage.tables);
      });
    }
    t.true(left > 0 && left < 2 * rowCount, `${left} rows are left`);
    await session(dir, async (storage) => {
      const { tables } = storage;
      t.is(await tables.watermark(1), 1);
      t.deepEqual(await scanned(storage, { shard: 2 }), ["a=v"]);
      // The same flush, as the next owner makes it from the journal.
      await tables.write([{ ...flush(1, 3, []), deletedRanges: [all] }]);
      t.is(await rowsOf(tables), 0);
      t.is(await tables.watermark(1), 3);
    });
  }),
);
