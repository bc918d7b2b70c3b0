import type { ExecutionContext, TestFn } from "ava";
import { Random } from "#base";
import type { CassandraSettings, RowChange } from "#storage";
import { eventually } from "../../test/support/eventually.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { textOf } from "../engine.cases.ts";
import { append, take } from "../journal.cases.ts";
import { drop, flush, put } from "../tables.cases.ts";
import { arrange } from "./arrange.ts";
import { undivided } from "./arrangement.ts";
import { partitionSizes, sizes } from "./bucket-sizes.cases.ts";
import { Buckets } from "./buckets.ts";
import { CassandraJournal } from "./journal.ts";
import { Lanes } from "./lanes.ts";
import { Layouts, readArrangement } from "./layouts.ts";
import { type Mover, move, removeLeftovers, rowsOf } from "./move.ts";
import { Session } from "./session.ts";
import { CassandraTables } from "./tables.ts";

const bucketBytes = 32 * 1_024;

/** Collections that outgrow a bucket on a real Cassandra. A bucket has a two-thousandth of its size in production. */
export function bucketsCases(test: TestFn, settings: () => CassandraSettings, newShard: () => number): void {
  const bucketsTest = (name: string, run: (c: BucketsCase) => Promise<void>) =>
    test(name, async (t) => {
      const closing: (() => Promise<void>)[] = [];
      const node = async (): Promise<Node> => {
        const [host, port] = settings().contactPoints[0]!.split(":");
        const proxy = await startProxy({ host: host!, port: Number(port) });
        closing.push(() => proxy.close());
        const session = await Session.connect({
          ...settings(),
          contactPoints: [`127.0.0.1:${proxy.port}`],
        });
        const lanes = new Lanes(() => 16);
        const layouts = new Layouts(session);
        const buckets = new Buckets(session, lanes, {
          bytesMax: bucketBytes,
          log: () => {},
        });
        const tables = new CassandraTables(session, layouts, buckets);
        closing.unshift(async () => {
          await tables.close();
          await session.close();
        });
        return {
          proxy,
          session,
          lanes,
          layouts,
          tables,
          journal: new CassandraJournal(session, lanes, layouts),
        };
      };
      try {
        await run({ t, node, shard: newShard() });
      } finally {
        for (const close of closing) await close();
      }
    });

  bucketsTest(
    "2,000 rows written in key order: no bucket exceeds its size by half, and scans cross borders",
    async ({ t, node, shard }) => {
      const { tables, journal, session } = await node();
      await take(journal, shard);
      const keys = Array.from({ length: 2_000 }, (_, i) => `k${String(i).padStart(5, "0")}`);
      for (let i = 0; i < keys.length; i += 20) {
        const changes = keys.slice(i, i + 20).map((key, j) => put(key, key.repeat(25), i + j + 1));
        await tables.write([flush(shard, i + 20, changes)]);
      }
      const found = await eventually("no bucket is too large", async () => {
        const sizesNow = await sizes(session, shard);
        return sizesNow.every((size) => size <= bucketBytes * 1.5) ? sizesNow : undefined;
      });
      t.true(found.length >= 9, `${found}`);
      const scan = async (reverse: boolean, limit = 5_000) =>
        (await tables.scan({ shard, partition: "p", limit, reverse })).map(({ key }) => key);
      t.deepEqual(await scan(false), keys);
      t.deepEqual(await scan(true), keys.toReversed());
      t.deepEqual(await scan(false, 900), keys.slice(0, 900));
      const many = await tables.getMany(keys.map((key) => ({ shard, partition: "p", key })));
      t.deepEqual(
        many.map((value) => textOf(value)?.slice(0, 6)),
        keys,
      );
    },
  );

  bucketsTest(
    "rows are written faster than they are copied: a flush waits, and no partition ever reaches twice its size",
    async ({ t, node, shard }) => {
      const { tables, journal, session } = await node();
      await take(journal, shard);
      const flushRows = 20;
      const keys = Array.from({ length: 1_000 }, (_, i) => `k${String(i).padStart(5, "0")}`);
      for (let i = 0; i < keys.length; i += flushRows) {
        const changes = keys.slice(i, i + flushRows).map((key, j) => put(key, key.repeat(100), i + j + 1));
        await tables.write([flush(shard, i + flushRows, changes)]);
        if (i % 200 !== 0) continue;
        const largest = Math.max(...(await partitionSizes(session, shard)));
        t.true(largest <= bucketBytes * 2, `${largest} bytes after ${i} rows`);
      }
      t.true(Math.max(...(await partitionSizes(session, shard))) <= bucketBytes * 2);
      const found = await tables.scan({ shard, partition: "p", limit: 5_000 });
      t.deepEqual(
        found.map(({ key }) => key),
        keys,
      );
    },
  );

  bucketsTest(
    "random puts and deletes while buckets are divided and joined: exactly the rows that exist are read",
    async ({ t, node, shard }) => {
      const { tables, journal, session } = await node();
      await take(journal, shard);
      const random = new Random("buckets");
      const model = new Map<string, string>();
      let seq = 0;
      let most = 0;
      const rounds = 120;
      for (let round = 0; round < rounds; round++) {
        // The collection grows in the first half and shrinks in the second.
        const putChance = round < rounds / 2 ? 0.9 : 0.1;
        const changes = new Map<string, RowChange>();
        for (let i = 0; i < 30; i++) {
          const key = `k${random.int(2_000)}`;
          seq++;
          if (random.chance(putChance)) {
            const value = `${seq}:`.padEnd(100 + random.int(400), "v");
            changes.set(key, put(key, value, seq));
            model.set(key, value);
          } else {
            changes.set(key, drop(key, seq));
            model.delete(key);
          }
        }
        const deletedRanges = [];
        if (random.chance(round < rounds / 2 ? 0.02 : 0.2)) {
          const from = `k${random.int(2_000)}`;
          const to = `${from}5`;
          seq++;
          deletedRanges.push({ partition: "p", from, to, seq });
          for (const key of [...model.keys()]) if (from <= key && key < to) model.delete(key);
          for (const key of [...changes.keys()]) if (from <= key && key < to) changes.delete(key);
        }
        await tables.write([{ ...flush(shard, seq, [...changes.values()]), deletedRanges }]);
        const expected = [...model.keys()].sort();
        const from = `k${random.int(10)}`;
        const [all, part] = await Promise.all([
          tables.scan({ shard, partition: "p", limit: 5_000, reverse: random.chance(0.5) }),
          tables.scan({ shard, partition: "p", from, to: `${from}7`, limit: 5_000 }),
        ]);
        t.deepEqual(all.map(({ key }) => key).sort(), expected, `round ${round}`);
        t.true(all.every(({ key, value }) => model.get(key) === textOf(value)));
        t.deepEqual(
          part.map(({ key }) => key),
          expected.filter((key) => from <= key && key < `${from}7`),
        );
        most = Math.max(most, (await sizes(session, shard)).length);
      }
      t.true(most >= 6, `${most} buckets at most`);
    },
  );

  bucketsTest("a queue fills up and is emptied: its buckets are joined again", async ({ t, node, shard }) => {
    const { tables, journal, session } = await node();
    await take(journal, shard);
    const keys = Array.from({ length: 800 }, (_, i) => `k${String(i).padStart(5, "0")}`);
    let seq = 0;
    for (let i = 0; i < keys.length; i += 20)
      await tables.write([
        flush(
          shard,
          seq,
          keys.slice(i, i + 20).map((key) => put(key, key.repeat(50), ++seq)),
        ),
      ]);
    const count = async () => (await sizes(session, shard)).length;
    await eventually("several buckets", async () => ((await count()) >= 6 ? true : undefined));
    await tables.write([
      flush(
        shard,
        seq + keys.length,
        keys.map((key) => drop(key, ++seq)),
      ),
    ]);
    t.deepEqual(await tables.scan({ shard, partition: "p", limit: 1 }), []);
    await eventually("one bucket", async () => ((await count()) === 1 ? true : undefined));
    await tables.write([flush(shard, ++seq, [put("a", "again", seq)])]);
    t.deepEqual(
      (await tables.scan({ shard, partition: "p", limit: 9 })).map(({ key }) => key),
      ["a"],
    );
  });

  bucketsTest(
    "an old owner flushes after its successor has moved rows: neither its watermark nor its rows take effect",
    async ({ t, node, shard }) => {
      const [old, successor, third] = [await node(), await node(), await node()];
      const opened = await take(old.journal, shard);
      await append(old.journal, opened, 1, ["a", "b", "c", "d"]);
      const late = flush(shard, 4, [put("a", "1", 1), put("m", "2", 2), put("z", "3", 3), put("n", "4", 4)]);
      await take(successor.journal, shard);
      const layout = await successor.layouts.of(shard);
      t.is(layout.openedHead, 4);
      t.false(layout.isMovable, "an old owner may still write the watermark 4");
      await t.throwsAsync(move(moverOf(successor), { layout, partition: "p" }, { from: "m", to: undefined }));
      // The entries that the successor replayed, and one change of its own.
      const own = [put("a", "1", 1), drop("m", 5), put("z", "3", 3), put("n", "6", 6)];
      await successor.tables.write([flush(shard, 6, own)]);
      await move(moverOf(successor), { layout, partition: "p" }, { from: "m", to: undefined });
      await removeLeftovers(moverOf(successor), layout);
      await old.tables.write([late]);
      await take(third.journal, shard);
      t.is(await third.tables.watermark(shard), 6);
      const rows = await third.tables.scan({ shard, partition: "p", limit: 9 });
      t.deepEqual(
        rows.map(({ key, value }) => `${key}=${textOf(value)}`),
        ["a=1", "n=6", "z=3"],
      );
      const [first] = (await third.layouts.of(shard)).pieces("p", "", undefined);
      const inFirst = [];
      for await (const { key } of rowsOf(moverOf(third), shard, "p", { ...first!, to: undefined }))
        inFirst.push(key);
      t.deepEqual(
        inFirst,
        ["a"],
        "the rows that were moved away are gone, and so are those that arrived late",
      );
    },
  );

  bucketsTest(
    "an owner is replaced while it copies a bucket: its switch is refused, and its successor deletes the copy",
    async ({ t, node, shard }) => {
      const [old, successor] = [await node(), await node()];
      await take(old.journal, shard);
      await old.tables.write([flush(shard, 2, [put("a", "1", 1), put("m", "2", 2)])]);
      const layout = await old.layouts.of(shard);
      let release = () => {};
      layout.flushing(new Promise<void>((resolve) => (release = resolve)));
      const moved = move(moverOf(old), { layout, partition: "p" }, { from: "m", to: undefined });
      await eventually("the copy is made", () => layout.move);
      await old.tables.write([flush(shard, 3, [put("n", "3", 3)])]);
      await take(successor.journal, shard);
      release();
      t.is(((await t.throwsAsync(moved)) as { kind?: string }).kind, "fenced");
      const found = await successor.layouts.of(shard);
      t.is(found.pieces("p", "", undefined).length, 1);
      const [copy] = found.arrangement.leftovers;
      const copied = async () => {
        const keys: string[] = [];
        for await (const { key } of rowsOf(moverOf(successor), shard, "p", copy!)) keys.push(key);
        return keys;
      };
      t.deepEqual(await copied(), ["m", "n"], "a flush during a copy goes to both");
      await old.tables.write([flush(shard, 4, [put("o", "4", 4)])]);
      await removeLeftovers(moverOf(old), layout);
      t.deepEqual(
        await copied(),
        ["m", "n", "o"],
        "an owner that does not know whether it switched goes on writing to both buckets",
      );
      await removeLeftovers(moverOf(successor), found);
      t.deepEqual(await copied(), []);
      const rows = await successor.tables.scan({ shard, partition: "p", limit: 9 });
      t.deepEqual(
        rows.map(({ key }) => key),
        ["a", "m", "n", "o"],
      );
    },
  );

  bucketsTest(
    "a copy fails half way: its bucket is listed as a leftover, and the next move succeeds",
    async ({ t, node, shard }) => {
      const owner = await node();
      await take(owner.journal, shard);
      await owner.tables.write([flush(shard, 2, [put("a", "1", 1), put("m", "2", 2)])]);
      const layout = await owner.layouts.of(shard);
      const place = { layout, partition: "p" };
      let release = () => {};
      layout.flushing(new Promise<void>((resolve) => (release = resolve)));
      const failing = move(moverOf(owner), place, { from: "m", to: undefined });
      await eventually("the copy begins", () => layout.move);
      owner.proxy.holdRequests();
      release();
      await new Promise((resolve) => setTimeout(resolve, 150));
      owner.proxy.cutClients();
      owner.proxy.pass();
      await t.throwsAsync(failing, { any: true });
      t.true(layout.isMovable);
      t.is(layout.arrangement.leftovers.length, 1);
      await eventually("the store answers again", () =>
        move(moverOf(owner), place, { from: "m", to: undefined }).then(
          () => true,
          () => undefined,
        ),
      );
      t.is(layout.pieces("p", "", undefined).length, 2);
      const rows = await owner.tables.scan({ shard, partition: "p", limit: 9 });
      t.deepEqual(
        rows.map(({ key }) => key),
        ["a", "m"],
      );
    },
  );

  bucketsTest(
    "the answer to a change of borders is lost: the owner reads which borders are stored, and goes on writing",
    async ({ t, node, shard }) => {
      const [owner, watcher] = [await node(), await node()];
      const opened = await take(owner.journal, shard);
      const layout = await owner.layouts.of(shard);
      // Statements are prepared before, so that only the change of borders is lost.
      await owner.lanes.run(shard, () => arrange(owner.session, layout, layout.handle!, undivided));
      const borders = new Map([
        [
          "p",
          [
            { from: "", bucket: 0 },
            { from: "m", bucket: 7 },
          ],
        ],
      ]);
      for (const fault of ["loseAnswers", "holdRequests"] as const) {
        const next = { borders, leftovers: [{ partition: fault, bucket: 1, from: "", to: undefined }] };
        const change = () =>
          owner.lanes.run(shard, () => arrange(owner.session, layout, layout.handle!, next));
        owner.proxy[fault]();
        const outcome = change().then(
          () => "stored",
          () => "not stored",
        );
        await new Promise((resolve) => setTimeout(resolve, 150));
        owner.proxy.cutClients();
        owner.proxy.pass();
        const stored = (await outcome) === "stored";
        owner.proxy.release();
        const there = await readArrangement(watcher.session, shard);
        t.is(there.leftovers[0]?.partition === fault, stored, fault);
        t.deepEqual(layout.arrangement, there);
      }
      await append(owner.journal, opened, 1, ["after"]);
    },
  );
}

type Node = {
  readonly proxy: Awaited<ReturnType<typeof startProxy>>;
  readonly session: Session;
  readonly lanes: Lanes;
  readonly layouts: Layouts;
  readonly tables: CassandraTables;
  readonly journal: CassandraJournal;
};

interface BucketsCase {
  readonly t: ExecutionContext;
  readonly node: () => Promise<Node>;
  readonly shard: number;
}

function moverOf({ session, lanes }: Node): Mover {
  return { session, lanes, closed: false };
}
