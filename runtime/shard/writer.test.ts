import test from "ava";
import fc from "fast-check";
import { keys } from "../../test/support/arbitraries.ts";
import { asRead } from "../../test/support/runtime/as-read.ts";
import { same } from "../../test/support/same.ts";
import { unpack, unpackValue } from "./codec.ts";
import { decodeChanges, decodeEntry, writeDecision, writeRange, writeRow } from "./entry.ts";
import { keyOf, shardPartition } from "./partition.ts";
import { Recorder } from "./recorder.ts";
import { Writer } from "./writer.ts";
import { Written } from "./written.ts";

const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ minLength: 20, maxLength: 100 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 0, -1, -32, -33, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32),
);
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(keys(), tie("value"), { maxKeys: 20, noNullPrototype: true }),
    fc.uint8Array(),
  ),
})).value;

test("every plain value reads back as it was written", (t) => {
  const writer = new Writer();
  fc.assert(
    fc.property(plain, (value) => {
      writer.begin();
      writer.value(value);
      same(t, unpack(writer.end()), asRead(value));
    }),
  );
});

test("wide maps within wide maps are written once each, however deep", (t) => {
  const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
  let value: unknown = 1;
  for (let depth = 0; depth < 60; depth++)
    value = Object.fromEntries(names.map((name, i) => [name, i === 0 ? value : i]));
  const writer = new Writer();
  writer.value(value);
  t.deepEqual(unpack(writer.end()), value);
});

test("a text has the room it takes", (t) => {
  const writer = new Writer();
  writer.value("x".repeat(3 * 1_024 * 1_024));
  t.true(writer.bytes.length < 5 * 1_024 * 1_024);
  t.is(writer.end().length, 3 * 1_024 * 1_024 + 5);
});

test("an entry whose lengths do not agree is refused", (t) => {
  const writer = new Writer();
  writer.begin();
  writeRow(writer, new Written(), shardPartition("rows"), keyOf(["a"]), { text: "value" });
  writeDecision(writer, new Written(), { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  const lengthAt = entry.indexOf(Buffer.from("text")) - 7;
  for (const longer of [1, 7, 60]) {
    const corrupt = Buffer.from(entry);
    corrupt[lengthAt + 3]! += longer;
    t.throws(() => decodeEntry(corrupt), undefined, `a value ${longer} bytes longer`);
  }
  const endless = Buffer.from(entry);
  endless.writeUInt32BE(entry.length, entry.length - 13);
  t.throws(() => decodeEntry(endless), { message: /no longer than the entry/ });
});

test("an entry reads back as it was written, also one that outgrows its slab", (t) => {
  const writer = new Writer();
  const partition = shardPartition("rows");
  for (const size of [0, 1, 1_000, 40_000, 300_000]) {
    writer.begin();
    const written = new Written();
    const value = { text: "x".repeat(size), more: Array.from({ length: 20 }, (_, i) => i) };
    writeRow(writer, written, partition, keyOf(["a", 1]), value);
    writeRow(writer, written, partition, keyOf(["b"]), undefined);
    writeRange(writer, written, partition, keyOf([1]), keyOf([2]));
    writeRange(writer, written, partition, "", "\xff");
    const decision = {
      now: 1_763_190_000_000,
      address: { kind: "k", tenant: "t", key: "k1" },
      steps: [
        { kind: "k", seed: "seed", events: [{ type: "added", size }] },
        { kind: "twin", seed: "", events: [] },
      ],
    };
    writeDecision(writer, written, decision);
    const { bytes, changes, ...decided } = decodeEntry(writer.end());
    t.deepEqual(decided, decision);
    const [put, removed, range, rest] = changes;
    t.true(put?.type === "row" && put.key === keyOf(["a", 1]) && put.partition.text === partition.text);
    if (put?.type === "row") t.deepEqual(unpackValue(bytes.subarray(put.start, put.end), partition), value);
    t.true(removed?.type === "row" && removed.end === 0);
    t.true(range?.type === "range" && range.from === keyOf([1]) && range.to === keyOf([2]));
    t.true(rest?.type === "range" && rest.from === "" && rest.to === "\xff");
  }
});

test("an entry names a partition once, and still knows each of many", (t) => {
  const writer = new Writer();
  const partitions = Array.from({ length: 40 }, (_, number) => shardPartition(`collection-${number}`));
  const written = new Written();
  const places = [...partitions, ...partitions, ...partitions];
  writer.begin();
  for (const [number, partition] of places.entries())
    writeRow(writer, written, partition, keyOf([number]), number);
  writeDecision(writer, new Written(), { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  t.deepEqual(
    decodeEntry(entry).changes.map(({ partition }) => partition.text),
    places.map(({ text }) => text),
  );
  t.is(entry.toString("latin1").split("collection-3\0").length, 2);
});

test("an entry that refers to a partition it has not named is refused", (t) => {
  const writer = new Writer();
  writer.begin();
  const partition = shardPartition("rows");
  const elsewhere = new Written();
  elsewhere.partition(partition);
  writeRow(writer, elsewhere, partition, keyOf(["a"]), 1);
  writeDecision(writer, new Written(), { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  t.throws(() => decodeEntry(entry), { message: /has named the partition/ });
});

const longList = fc.array(scalar, { minLength: 12, maxLength: 20 });

test("lists that rows have are references in events, and both read back as they were written", (t) => {
  const writer = new Writer();
  const partition = shardPartition("rows");
  const row = fc.record({ list: longList, stands: fc.constantFrom("alone", "twice", "with others") });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), fc.array(fc.nat(100)), (rows, again) => {
      writer.begin();
      const written = new Written();
      const values = rows.flatMap(({ list, stands }): unknown[] =>
        stands === "alone" ? [list] : stands === "twice" ? [list, list] : [[1, list, [2], [...list]]],
      );
      for (const [number, value] of values.entries())
        writeRow(writer, written, partition, keyOf([number]), value);
      const lists = again.map((number) => rows[number % rows.length]!.list);
      const events = [{ type: "moved", lists, more: lists.map((list) => [list, { list: [...list] }]) }];
      const steps = [{ kind: "k", seed: "", events }];
      writeDecision(writer, written, { now: 1, address: { kind: "k", tenant: "t", key: "1" }, steps });
      const entry = decodeEntry(writer.end());
      same(t, entry.steps, asRead(steps));
      const read = entry.changes.map((change) =>
        change.type === "row"
          ? unpackValue(entry.bytes.subarray(change.start, change.end), change.partition)
          : undefined,
      );
      same(t, read, asRead(values));
    }),
  );
});

test("a list that two rows and an event have takes room once, and a payload that a row and an event have", (t) => {
  const writer = new Writer();
  const written = new Written();
  const list = ["x".repeat(10_000), ...Array.from({ length: 12 }, (_, i) => i)];
  writer.begin();
  const first = writeRow(writer, written, shardPartition("items"), keyOf(["a"]), list);
  const second = writeRow(writer, written, shardPartition("line"), keyOf(["b"]), list);
  const third = writeRow(writer, written, shardPartition("line"), keyOf(["c"]), [...list]);
  const payload = [{ text: "y".repeat(10_000) }];
  writeRow(writer, written, shardPartition("bodies"), keyOf(["a"]), payload);
  const steps = [{ kind: "k", seed: "", events: [[0, list, []], { body: payload }] }];
  writeDecision(writer, written, { now: 1, address: undefined, steps });
  const entry = writer.end();
  t.true(entry.length > 30_000 && entry.length < 30_400, `${entry.length}`);
  t.like(second, { start: (first as { start: number }).start, end: (first as { end: number }).end });
  t.true((third as { start: number }).start > (first as { end: number }).end);
  t.deepEqual(decodeEntry(entry).steps, steps);
});

test("a reference to what is not in the changes is refused", (t) => {
  const writer = new Writer();
  const written = new Written();
  const list = Array.from({ length: 12 }, (_, i) => i);
  const partition = shardPartition("rows");
  writer.begin();
  writeRow(writer, written, partition, keyOf(["a"]), list);
  writeRow(writer, written, partition, keyOf(["b"]), list);
  const steps = [{ kind: "k", seed: "", events: [list] }];
  writeDecision(writer, written, { now: 1, address: undefined, steps });
  const entry = Buffer.from(writer.end());
  const inEvent = entry.indexOf(Buffer.from([0xd7, 0x53])) + 2;
  const beyond = Buffer.from(entry);
  beyond.writeUInt32BE(entry.length, inEvent + 4);
  t.throws(() => decodeEntry(beyond), { message: /refers to is in it/ });
  const inRow = entry.indexOf(Buffer.from(keyOf(["b"]), "latin1")) + keyOf(["b"]).length;
  const later = Buffer.from(entry);
  later.writeUInt32BE(entry.length, inRow + 4);
  t.throws(() => decodeChanges(later), { message: /comes before it/ });
});

test("what a row that follows a range delete over it begins anew refers to nothing before it", (t) => {
  const recorder = new Recorder({});
  const partition = shardPartition("rows");
  const list = Array.from({ length: 12 }, (_, i) => `part ${i}`);
  recorder.begin(1, 1);
  recorder.change(partition, keyOf(["a"]), list);
  recorder.changeRange(partition, "", "\xff");
  recorder.change(partition, keyOf(["b"]), list);
  recorder.change(partition, keyOf(["c"]), list);
  const steps = [{ kind: "k", seed: "", events: [list] }];
  const { entries } = recorder.end({ now: 1, address: undefined, steps });
  t.is(entries.length, 2);
  t.deepEqual(decodeEntry(entries[0]!).steps, steps);
  const { bytes, changes } = decodeChanges(entries[1]!);
  for (const change of changes)
    if (change.type === "row")
      t.deepEqual(unpackValue(bytes.subarray(change.start, change.end), partition), list);
  t.is(changes.length, 2);
});

test("lists that were not written are looked for only so often", (t) => {
  const written = new Written();
  const list = Array.from({ length: 12 }, (_, i) => i);
  for (let i = 0; i < 10; i++) written.add([...list], i, i + 1);
  written.add(list, 10, 11);
  t.like(written.find(list), { start: 10, end: 11 });
  for (let i = 0; i < 10; i++) t.is(written.find([...list]), undefined);
  t.is(written.find(list), undefined);
});

test("what was not ended is written over; what was ended stays as it is", (t) => {
  const writer = new Writer();
  const ended: Buffer[] = [];
  for (let i = 0; i < 5_000; i++) {
    writer.begin();
    writer.value({ dropped: "y".repeat(100) });
    writer.begin();
    writer.value({ i, text: "z".repeat(i % 300) });
    ended.push(writer.end());
  }
  for (const [i, bytes] of ended.entries()) t.deepEqual(unpack(bytes), { i, text: "z".repeat(i % 300) });
});
