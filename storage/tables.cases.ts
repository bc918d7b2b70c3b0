import type { TestFn } from "ava";
import type { RowChange, RowRange, ShardFlush, Storage } from "#storage";
import { bytesOf, type MakeEngine, textOf } from "./engine.cases.ts";

/** What the tables of every engine promise. */
export function tablesCases(test: TestFn, makeEngine: MakeEngine): void {
  const tablesTest = (name: string, run: (args: TablesCase) => Promise<void>) =>
    test(name, async (t) => {
      const engine = await makeEngine();
      const storage = await engine.attach();
      try {
        await run({ t, storage, attach: () => engine.attach(), shard: engine.newShard() });
      } finally {
        await storage.close();
        await engine.close();
      }
    });

  tablesTest(
    "tables: a row is read as it was written, alone and with others",
    async ({ t, storage, shard }) => {
      const { tables } = storage;
      const row = (key: string) => ({ shard, partition: "p", key });
      t.is(await tables.get(row("a")), undefined);
      await tables.write([flush(shard, 1, [put("a", "1", 1), put("b", "", 1)])]);
      t.is(textOf(await tables.get(row("a"))), "1");
      t.is(textOf(await tables.get(row("b"))), "");
      const many = await tables.getMany([row("b"), row("x"), row("a")]);
      t.deepEqual(many.map(textOf), ["", undefined, "1"]);
    },
  );

  tablesTest(
    "tables: rows of all sizes are read as they were written, alone and in a scan",
    async ({ t, storage, shard }) => {
      const sizes = [0, 1, 4_096, 70_000, 10, 1_000_000, 8_191, 3];
      const puts = sizes.map((size, i) => put(`${i}`, `${i}`.repeat(size), 1));
      await storage.tables.write([flush(shard, 1, puts)]);
      const expected = sizes.map((size, i) => `${i}=${`${i}`.repeat(size)}`);
      // Compared as strings: a failing comparison of a megabyte would print all of it.
      const all = expected.join();
      t.true((await scanned(storage, { shard })).join() === all);
      const keys = sizes.map((_, i) => ({ shard, partition: "p", key: `${i}` }));
      const many = await storage.tables.getMany(keys);
      t.true(many.map((value, i) => `${i}=${textOf(value)}`).join() === all);
    },
  );

  tablesTest("tables: a later flush replaces and deletes rows", async ({ t, storage, shard }) => {
    const { tables } = storage;
    await tables.write([flush(shard, 1, [put("a", "1", 1), put("b", "1", 1)])]);
    await tables.write([flush(shard, 3, [put("a", "2", 2), drop("b", 3)])]);
    t.deepEqual(await scanned(storage, { shard }), ["a=2"]);
  });

  tablesTest(
    "tables: a scan runs in both directions between its bounds, up to its limit",
    async ({ t, storage, shard }) => {
      const keys = ["a", "b", "c", "d", "e"];
      await storage.tables.write([
        flush(
          shard,
          1,
          keys.map((key) => put(key, key, 1)),
        ),
      ]);
      const scan = (range: Partial<RowRange>) => scanned(storage, { shard, ...range });
      t.deepEqual(await scan({}), ["a=a", "b=b", "c=c", "d=d", "e=e"]);
      t.deepEqual(await scan({ from: "b", to: "d" }), ["b=b", "c=c"]);
      t.deepEqual(await scan({ from: "bb", limit: 2 }), ["c=c", "d=d"]);
      t.deepEqual(await scan({ reverse: true }), ["e=e", "d=d", "c=c", "b=b", "a=a"]);
      t.deepEqual(await scan({ from: "b", to: "d", reverse: true }), ["c=c", "b=b"]);
      t.deepEqual(await scan({ to: "d", reverse: true, limit: 1 }), ["c=c"]);
      t.deepEqual(await scan({ from: "d", to: "b" }), []);
      t.deepEqual(await scan({ from: "d", to: "b", reverse: true }), []);
      t.deepEqual(await scan({ from: "x" }), []);
      t.deepEqual(await scan({ limit: 0 }), []);
    },
  );

  tablesTest("tables: keys are ordered as bytes, prefixes first", async ({ t, storage, shard }) => {
    const keys = [[], [0], [0, 0], [0, 255], [1], [127], [128], [128, 1], [255], [255, 255]];
    const changes = keys.map((key, i) => ({ ...put("", `${i}`, 1), key: String.fromCharCode(...key) }));
    await storage.tables.write([
      flush(shard, 1, changes.filter((change) => change.key.length > 0).toReversed()),
    ]);
    const rows = await storage.tables.scan({ shard, partition: "p", limit: 100 });
    t.deepEqual(
      rows.map((row) => [...Buffer.from(row.key, "latin1")]),
      keys.slice(1),
    );
    const back = await storage.tables.scan({ shard, partition: "p", limit: 100, reverse: true });
    t.deepEqual(
      back.map((row) => [...Buffer.from(row.key, "latin1")]),
      keys.slice(1).toReversed(),
    );
  });

  tablesTest("tables: partitions and shards do not see each other", async ({ t, storage, shard, attach }) => {
    const { tables } = storage;
    await tables.write([
      flush(shard, 1, [
        put("k", "p", 1),
        put("k", "p2", 1, "p2"),
        put("k", "q", 1, "q"),
        put("p", "x", 1, ""),
      ]),
    ]);
    t.deepEqual(await scanned(storage, { shard }), ["k=p"]);
    t.deepEqual(await scanned(storage, { shard, partition: "p2" }), ["k=p2"]);
    t.deepEqual(await scanned(storage, { shard, partition: "q", reverse: true }), ["k=q"]);
    t.deepEqual(await scanned(storage, { shard, partition: "nothing" }), []);
    t.deepEqual(await scanned(storage, { shard: (shard + 1) % 256, partition: "p2" }), []);
    const other = await attach();
    t.deepEqual(
      await scanned(other, { shard }),
      ["k=p"],
      "another handle reads what a finished write stored",
    );
    await other.close();
  });

  tablesTest(
    "tables: a range delete removes older rows and keeps newer ones",
    async ({ t, storage, shard }) => {
      const { tables } = storage;
      await tables.write([
        flush(
          shard,
          1,
          ["a", "b", "c", "d"].map((key) => put(key, "old", 1)),
        ),
      ]);
      await tables.write([
        {
          shard,
          deletedRanges: [{ partition: "p", from: "b", to: "d", seq: 5 }],
          changes: [
            put("b", "newer", 6),
            put("bb", "older", 4),
            put("c", "same event", 5),
            put("d", "older", 4),
          ],
          watermark: 6,
        },
      ]);
      t.deepEqual(await scanned(storage, { shard }), ["a=old", "b=newer", "c=same event", "d=older"]);
      await tables.write([flush(shard, 7, [put("e", "e", 7)])]);
      await tables.write([{ shard, deletedRanges: [{ partition: "p", seq: 8 }], changes: [], watermark: 8 }]);
      t.deepEqual(await scanned(storage, { shard }), []);
    },
  );

  tablesTest("tables: a repeated flush changes nothing", async ({ t, storage, shard }) => {
    const first = flush(shard, 2, [put("a", "1", 1), drop("b", 2)]);
    await storage.tables.write([first]);
    await storage.tables.write([first]);
    t.deepEqual(await scanned(storage, { shard }), ["a=1"]);
    t.is(await storage.tables.watermark(shard), 2);
  });

  tablesTest(
    "tables: a late flush of an earlier owner undoes nothing",
    async ({ t, storage, shard, attach }) => {
      await storage.tables.write([flush(shard, 12, [put("a", "new", 12), drop("b", 11)])]);
      const old = await attach();
      await old.tables.write([flush(shard, 10, [put("a", "old", 10), put("b", "old", 9)])]);
      t.deepEqual(await scanned(storage, { shard }), ["a=new"]);
      t.is(await storage.tables.watermark(shard), 12);
      await old.close();
    },
  );

  tablesTest("tables: watermarks start at 0 and come with their rows", async ({ t, storage, shard }) => {
    t.is(await storage.tables.watermark(shard), 0);
    await storage.tables.write([flush(shard, 41, [put("a", "1", 41)])]);
    t.is(await storage.tables.watermark(shard), 41);
  });

  tablesTest("tables: a key of the greatest length is stored and found", async ({ t, storage, shard }) => {
    const key = "\xfe".repeat(1_024);
    await storage.tables.write([flush(shard, 1, [{ ...put("", "long", 1), key }])]);
    t.is(textOf(await storage.tables.get({ shard, partition: "p", key })), "long");
    const value = new Uint8Array(300_000).fill(7);
    await storage.tables.write([flush(shard, 2, [{ ...put("big", "", 2), value }])]);
    const stored = await storage.tables.get({ shard, partition: "p", key: "big" });
    t.is(stored && Buffer.compare(stored, value), 0);
  });

  tablesTest(
    "tables: a range may begin and end after the longest key of the longest partition",
    async ({ t, storage, shard }) => {
      const partition = "p".repeat(900);
      const [first, last] = ["a".repeat(1_024), "b".repeat(1_024)];
      await storage.tables.write([
        flush(shard, 1, [put(first, "1", 1, partition), put(last, "2", 1, partition)]),
      ]);
      const scan = async (range: Partial<RowRange>) =>
        (await scanned(storage, { shard, partition, ...range })).map((row) => row.slice(-3));
      t.deepEqual(await scan({}), ["a=1", "b=2"]);
      t.deepEqual(await scan({ from: `${first}\0` }), ["b=2"]);
      t.deepEqual(await scan({ to: `${first}\xff`, reverse: true }), ["a=1"]);
      const deletedRanges = [{ partition, from: `${first}\0`, to: `${last}\xff`, seq: 2 }];
      await storage.tables.write([{ ...flush(shard, 2, []), deletedRanges }]);
      t.deepEqual(await scan({}), ["a=1"]);
    },
  );

  tablesTest(
    "tables: chosen partitions of any name length and size are measured, and others are left out",
    async ({ t, storage, shard }) => {
      const { tables } = storage;
      const partitions = ["m1", "m2", "m3", "mm1", "mm2", "n1"].map((name) => `${name}-${shard}`);
      const rows = Array.from({ length: 700 }, (_, i) => String(1_000 + i));
      const changes = partitions.flatMap((partition) => rows.map((key) => put(key, "123456", 1, partition)));
      await tables.write([flush(shard, 1, changes)]);
      await tables.write([
        flush(shard, 2, [drop("1000", 2, partitions[1]), put("1001", "", 2, partitions[1])]),
      ]);
      const chosen = [partitions[1]!, partitions[3]!, partitions[5]!];
      const sizes = new Map<string, number>();
      await tables.measure({
        next: (partition) => chosen.find((one) => one.length === partition.length && one >= partition),
        count: (partition, bytes) => sizes.set(partition, (sizes.get(partition) ?? 0) + bytes),
      });
      t.deepEqual(Object.fromEntries(sizes), {
        [chosen[0]!]: 7_000 - 10 - 6,
        [chosen[1]!]: 7_000,
        [chosen[2]!]: 7_000,
      });
    },
  );

  tablesTest("tables: concurrent flushes of one owner are all stored", async ({ t, storage, shard }) => {
    const changes = Array.from({ length: 50 }, (_, i) =>
      put(`k${String(i).padStart(2, "0")}`, `${i}`, i + 1),
    );
    await Promise.all(
      changes.map((change) => storage.tables.write([{ ...flush(shard, 0, [change]), watermark: 0 }])),
    );
    t.is((await storage.tables.scan({ shard, partition: "p", limit: 100 })).length, 50);
  });
}

interface TablesCase {
  readonly t: import("ava").ExecutionContext;
  readonly storage: Storage;
  readonly attach: () => Promise<Storage>;
  readonly shard: number;
}

export function put(key: string, value: string, seq: number, partition = "p"): RowChange {
  return { partition, key, value: bytesOf(value), seq };
}

export function drop(key: string, seq: number, partition = "p"): RowChange {
  return { partition, key, seq };
}

export function flush(shard: number, watermark: number, changes: readonly RowChange[]): ShardFlush {
  return { shard, deletedRanges: [], changes, watermark };
}

export async function scanned(
  storage: Storage,
  range: Partial<RowRange> & { shard: number },
): Promise<string[]> {
  const rows = await storage.tables.scan({ partition: "p", limit: 100, ...range });
  return rows.map((row) => `${row.key}=${textOf(row.value)}`);
}
