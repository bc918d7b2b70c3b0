/** A disk that is really full: a small tmpfs. */
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "#base";
import { attachStorage, type OpenedShard, type Storage, StorageError, startStorage } from "#storage";
import { append, rejects, replayed, take } from "../../storage/journal.cases.ts";
import { drop, flush, put, scanned } from "../../storage/tables.cases.ts";
import { eventually } from "../support/eventually.ts";
import { diskTest, fill, onSmallDisk } from "../support/small-disk.ts";

/** Appends until it is refused; returns what was acknowledged. */
async function appendUntilFull(
  storage: Storage,
  owner: OpenedShard,
  head: number,
  lines: string[],
): Promise<StorageError> {
  const value = "x".repeat(60_000);
  for (let seq = head + 1; ; seq++)
    try {
      await append(storage.journal, owner, seq, [value]);
      lines.push(`${seq}:${value}`);
    } catch (error) {
      if (error instanceof StorageError) return error;
      throw error;
    }
}

function reserveBytes(dir: string): Promise<number> {
  return stat(join(dir, "data", "reserve")).then(
    ({ size }) => size,
    () => 0,
  );
}

async function reserveMade(dir: string): Promise<void> {
  await eventually(
    "the whole reserve",
    async () => (await reserveBytes(dir)) === limits.reserveBytesMax || undefined,
  );
}

diskTest(
  "full disk: appends are refused with a clear error, reads go on, and it recovers without a restart and after one",
  onSmallDisk(120, async (t, dir) => {
    const data = join(dir, "data");
    const host = await startStorage({ engine: "embedded", dir: data });
    const storage = await attachStorage(host.bootstrap(0).data);
    const owner = await take(storage.journal, 1);
    const lines: string[] = [];
    await append(storage.journal, await take(storage.journal, 2), 1, ["one", "two"]);
    await storage.tables.write([flush(2, 1, [put("a", "1", 1)])]);
    await append(storage.journal, owner, 1, ["first"]);
    lines.push("1:first");
    const ballast = await fill(dir);
    const error = await appendUntilFull(storage, owner, 1, lines);
    t.is(error.kind, "full", error.message);
    t.regex(error.message, /disk is full/);
    t.is((await host.health()).state, "degraded");

    t.deepEqual(await replayed(storage.journal, 1, 0), lines, "reads go on");
    t.deepEqual(await scanned(storage, { shard: 2 }), ["a=1"]);
    const rows = Array.from({ length: 400 }, (_, i) => put(`k${i}`, "v".repeat(4_000), 2));
    await rejects(t, storage.tables.write([flush(2, 2, rows)]), "full");
    t.is(await storage.tables.watermark(2), 1, "a refused flush stores no watermark");
    await rejects(t, storage.objects.put("o", chunk(3_000_000)), "full");

    t.true(storage.room!.full, "the runtime refuses what does not make room");

    await truncate(ballast, 0);
    await storage.tables.write([flush(2, 2, rows)]);
    await append(storage.journal, owner, lines.length + 1, ["again"]);
    lines.push(`${lines.length + 1}:again`);
    t.is(await storage.tables.watermark(2), 2);
    await storage.objects.put("o", chunk(3_000_000));
    t.is((await host.health()).state, "healthy");
    t.false(storage.room!.full);
    t.deepEqual(await replayed(storage.journal, 1, 0), lines);
    await storage.close();
    await host.close();

    const next = await startStorage({ engine: "embedded", dir: data });
    const again = await attachStorage(next.bootstrap(0).data);
    t.is((await take(again.journal, 1)).head, lines.length);
    t.deepEqual(await replayed(again.journal, 1, 0), lines, "and after a restart");
    await again.close();
    await next.close();
  }),
);

diskTest(
  "the disk fills up under the tables: every write is refused or stored, and the process goes on",
  onSmallDisk(120, async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir: join(dir, "data") });
    const storage = await attachStorage(host.bootstrap(0).data);
    const value = "v".repeat(3_000);
    let stored = 0;
    let ballast = "";
    // With a little room left, and with none: the driver treats a short write as a broken disk.
    for (let round = 1; round <= 40; round++) {
      const rows = Array.from({ length: 20 + round }, (_, i) => put(`${round}.${i}`, value, round));
      try {
        await storage.tables.write([flush(1, round, rows)]);
        stored = round;
      } catch (error) {
        t.is((error as StorageError).kind, "full", String(error));
      }
      t.is(await storage.tables.watermark(1), stored);
      if (round === 10) ballast = await fill(dir);
      if (round % 10 === 0) await truncate(ballast, (await stat(ballast)).size - round * 50_000);
    }
    await truncate(ballast, 0);
    await storage.tables.write([flush(1, 41, [put("last", "v", 41)])]);
    t.is((await host.health()).state, "healthy");
    await storage.close();
    await host.close();
  }),
);

diskTest(
  "little room on the disk and tables whose rows were deleted: new rows reuse their pages",
  onSmallDisk(120, async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir: join(dir, "data") });
    const storage = await attachStorage(host.bootstrap(0).data);
    const value = "v".repeat(3_000);
    const rows = (round: number) =>
      Array.from({ length: 500 }, (_, i) => put(`${round * 1_000 + i}`, value, round));
    for (let round = 1; round <= 20; round++) await storage.tables.write([flush(1, round, rows(round))]);
    const deleted = [{ partition: "p", seq: 21 }];
    await storage.tables.write([{ ...flush(1, 21, []), deletedRanges: deleted }]);
    // One that is not whole yet would claim the room that is made below.
    await reserveMade(dir);
    const ballast = await fill(dir);
    await rejects(t, storage.tables.write([flush(1, 22, rows(22))]), "full");
    await truncate(ballast, (await stat(ballast)).size - 10 * 1_024 * 1_024);
    for (let round = 22; round <= 24; round++) await storage.tables.write([flush(1, round, rows(round))]);
    t.is(await storage.tables.watermark(1), 24);
    t.is((await scanned(storage, { shard: 1, limit: 10_000 })).length, 1_500);
    t.is((await host.health()).state, "healthy");
    await storage.close();
    await host.close();
  }),
);

diskTest(
  "full disk: after the reserve is removed rows can be deleted; with room again, the reserve is made again",
  onSmallDisk(200, async (t, dir) => {
    const host = await startStorage({ engine: "embedded", dir: join(dir, "data") });
    const storage = await attachStorage(host.bootstrap(0).data);
    const value = "v".repeat(3_000);
    const rows = Array.from({ length: 10_000 }, (_, i) => put(`${10_000 + i}`, value, 1));
    await storage.tables.write([flush(1, 1, rows)]);
    await reserveMade(dir);
    const ballast = await fill(dir);
    await rejects(t, storage.tables.write([flush(1, 2, [put("a", "1", 2)])]), "full");
    t.true(storage.room!.full);

    await storage.room!.useReserve();
    t.is(await reserveBytes(dir), 0);
    const drops = rows.slice(0, 9_000).map(({ key }) => drop(key, 2));
    await storage.tables.write([flush(1, 2, drops)]);
    t.is((await scanned(storage, { shard: 1, limit: 10_000 })).length, 1_000);
    await eventually("what was deleted is room", () => !storage.room!.full || undefined);
    t.true((await reserveBytes(dir)) >= limits.reserveBytesMin);
    await storage.tables.write([flush(1, 3, [put("a", "1", 3)])]);

    await storage.room!.useReserve();
    t.true(storage.room!.full);
    await truncate(ballast, 0);
    await eventually("there is room", () => !storage.room!.full || undefined);
    await reserveMade(dir);
    await storage.close();
    await host.close();
  }),
);

diskTest(
  "full disk at the start: with the spare segments two workers start and accept appends",
  onSmallDisk(120, async (t, dir) => {
    const data = join(dir, "data");
    const start = async (head: number, value: string) => {
      const host = await startStorage({ engine: "embedded", dir: data });
      const workers = await Promise.all([0, 1].map((worker) => attachStorage(host.bootstrap(worker).data)));
      for (const [shard, storage] of workers.entries()) {
        const owner = await take(storage.journal, shard);
        t.is(owner.head, head);
        await append(storage.journal, owner, head + 1, [value]);
      }
      const lines = await replayed(workers[0]!.journal, 1, 0);
      for (const storage of workers) await storage.close();
      await host.close();
      return lines;
    };
    await start(0, "before");
    await fill(dir);
    t.deepEqual(await start(1, "on a full disk"), ["1:before", "2:on a full disk"]);
  }),
);

diskTest(
  "full disk at the very first start: the error says so, and the next start finds no half-made files",
  onSmallDisk(120, async (t, dir) => {
    const data = join(dir, "data");
    const ballast = await fill(dir);
    await rejects(t, startStorage({ engine: "embedded", dir: data }), "full");
    await truncate(ballast, 0);
    const host = await startStorage({ engine: "embedded", dir: data });
    await host.close();
  }),
);

diskTest(
  "a first start with room for the generation file and not for the tables: the error says how much is needed and where",
  onSmallDisk(120, async (t, dir) => {
    const data = join(dir, "data");
    const ballast = await fill(dir);
    // The generation file takes 128 KiB; the driver would end the process while it makes its files.
    await truncate(ballast, (await stat(ballast)).size - 136 * 1_024);
    const error = await t.throwsAsync(startStorage({ engine: "embedded", dir: data }), {
      instanceOf: StorageError,
    });
    t.regex(error.message, /creating the tables in .*data\/tables takes 256 KiB, and \d KiB are free/);
    await truncate(ballast, 0);
    const host = await startStorage({ engine: "embedded", dir: data });
    await host.close();
  }),
);

async function* chunk(bytes: number): AsyncIterable<Uint8Array> {
  yield Buffer.alloc(bytes, 3);
}
