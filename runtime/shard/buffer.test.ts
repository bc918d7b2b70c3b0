import test from "ava";
import fc from "fast-check";
import { limits } from "#base";
import { openMemory } from "../../storage/memory/index.ts";
import type { Row } from "../../storage/tables.ts";
import { WriteBuffer } from "./buffer.ts";
import { keyOf, shardPartition } from "./partition.ts";
import { Reader } from "./reader.ts";

const partition = shardPartition("p");
const key = (n: number) => keyOf([n]);
const value = (n: number) => Buffer.from([n]);

type Step =
  | { type: "put"; key: number; value: number }
  | { type: "delete"; key: number }
  | { type: "range"; from: number; to: number }
  | { type: "freeze" }
  | { type: "compact" }
  | { type: "store" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("put" as const), key: fc.nat(12), value: fc.nat(255) }),
  fc.record({ type: fc.constant("delete" as const), key: fc.nat(12) }),
  fc.record({ type: fc.constant("range" as const), from: fc.nat(12), to: fc.nat(12) }),
  fc.record({ type: fc.constant("freeze" as const) }),
  fc.record({ type: fc.constant("compact" as const) }),
  fc.record({ type: fc.constant("store" as const) }),
);
const query = fc.record({
  from: fc.option(fc.nat(12), { nil: undefined }),
  to: fc.option(fc.nat(12), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 6 }),
  reverse: fc.boolean(),
});

/** The buffer, the tables below it, and what a plain map says. */
function fixture() {
  const storage = openMemory();
  const buffer = new WriteBuffer();
  const reader = new Reader(0, buffer, storage.tables, () => 0, {
    threw: (error) => {
      throw error;
    },
    corrupt: () => undefined,
  });
  const model = new Map<number, number>();
  let seq = 0;
  return {
    buffer,
    reader,
    model,
    async run(one: Step) {
      seq++;
      switch (one.type) {
        case "put":
          model.set(one.key, one.value);
          buffer.put(partition, key(one.key), { bytes: value(one.value), start: 0, end: 1, seq });
          break;
        case "delete":
          model.delete(one.key);
          buffer.put(partition, key(one.key), { bytes: undefined, start: 0, end: 0, seq });
          break;
        case "range":
          for (const known of [...model.keys()]) if (known >= one.from && known < one.to) model.delete(known);
          buffer.deleteRange(partition, { from: key(one.from), to: key(one.to) }, seq);
          break;
        case "freeze":
          buffer.freeze();
          break;
        case "compact":
          buffer.compact();
          break;
        case "store": {
          const layer = buffer.nextToStore(seq);
          if (layer === undefined) break;
          await storage.tables.write([layer.toFlush(0)]);
          buffer.stored(layer);
        }
      }
      buffer.reached(seq);
    },
  };
}

const scan = (reader: Reader, order: Parameters<Reader["scan"]>[1]) =>
  new Promise<number[]>((resolve, reject) => {
    reader.scan(partition, order, (failure, rows) =>
      failure === undefined ? resolve(rows.map((row) => row.value[0]!)) : reject(failure),
    );
  });

test("a scan over layers and tables gives what a plain map would: deletes, ranges, reverse, refilled to its limit", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      query,
      async (steps, { from, to, limit, reverse }) => {
        const { reader, model, run } = fixture();
        for (const one of steps) await run(one);
        const keys = [...model.keys()].sort((a, b) => (reverse ? b - a : a - b));
        const expected = keys
          .filter((known) => (from === undefined || known >= from) && (to === undefined || known < to))
          .slice(0, limit)
          .map((known) => model.get(known));
        const order = {
          from: from === undefined ? undefined : key(from),
          to: to === undefined ? undefined : key(to),
          limit,
          reverse,
        };
        t.deepEqual(await scan(reader, order), expected as number[]);
      },
    ),
  );
});

test("a row that a scan gives does not keep the slab it stood in", async (t) => {
  const { buffer, reader } = fixture();
  const slab = Buffer.alloc(1_024, 7);
  buffer.put(partition, key(1), { bytes: slab, start: 8, end: 9, seq: 1 });
  const order = { from: undefined, to: undefined, limit: 1, reverse: false };
  const [row] = await new Promise<readonly Row[]>((resolve) => {
    reader.scan(partition, order, (_failure, rows) => resolve(rows));
  });
  t.deepEqual(row!.value, Buffer.from([7]));
  t.not(row!.value.buffer, slab.buffer);
});

test("a read of single rows gives what a plain map would", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { reader, model, run } = fixture();
      for (const one of steps) await run(one);
      const wanted = [...Array(13).keys()];
      const rows = await new Promise<readonly (Uint8Array | null)[]>((resolve) => {
        reader.getMany(
          wanted.map((n) => ({ partition, key: key(n) })),
          (_failure, found) => resolve(found),
        );
      });
      t.deepEqual(
        rows.map((row) => (row === null ? undefined : row[0])),
        wanted.map((n) => model.get(n)),
      );
    }),
  );
});

test("a layer that is stored while a scan is open stays until the scan has ended", async (t) => {
  const { buffer, run } = fixture();
  await run({ type: "put", key: 1, value: 1 });
  await run({ type: "freeze" });
  const read = buffer.beginRead();
  await run({ type: "put", key: 2, value: 2 });
  await run({ type: "store" });
  t.is(buffer.layerCount, 2);
  t.deepEqual(buffer.get(partition.text, key(1)), value(1));
  buffer.endRead(read);
  t.is(buffer.layerCount, 1);
  t.is(buffer.get(partition.text, key(1)), undefined);
});

test("ranges that grow from one place stay one, and only scans that meet them look at it", async (t) => {
  const { buffer, reader, run } = fixture();
  for (let n = 0; n < 12; n++) await run({ type: "put", key: n, value: n });
  await run({ type: "freeze" });
  await run({ type: "store" });
  for (let to = 1; to <= 6; to++) await run({ type: "range", from: 0, to });
  const [part] = buffer.parts(partition.text);
  t.is(part?.ranges.length, 1);
  t.true(part?.hidesAny(undefined, undefined));
  t.true(part?.hidesAny(key(5), key(9)));
  t.false(part?.hidesAny(key(6), undefined));
  const found = await new Promise<readonly Row[]>((resolve) =>
    reader.scan(partition, { from: key(6), to: undefined, limit: 3, reverse: false }, (_, rows) =>
      resolve(rows),
    ),
  );
  t.deepEqual(
    found.map((row) => row.key),
    [6, 7, 8].map(key),
  );
});

test("a layer is closed when it holds what one write to the tables takes", (t) => {
  const buffer = new WriteBuffer();
  const bytes = Buffer.alloc(limits.checkpointWriteBytesMax / 4);
  for (let seq = 1; seq <= 10; seq++) {
    buffer.put(partition, key(seq), { bytes, start: 0, end: bytes.length, seq });
    buffer.reached(seq);
  }
  t.is(buffer.unstored, 2);
  const stored: number[] = [];
  for (let layer = buffer.nextToStore(10); layer !== undefined; layer = buffer.nextToStore(10)) {
    t.true(layer.bytes < limits.checkpointWriteBytesMax * 1.5);
    stored.push(layer.lastSeq);
    buffer.stored(layer);
  }
  t.deepEqual(stored, [4, 8]);
});
