import test from "ava";
import fc from "fast-check";
import { keys } from "../../test/support/arbitraries.ts";
import { asRead } from "../../test/support/runtime/as-read.ts";
import { same } from "../../test/support/same.ts";
import { unpack, unpackValue } from "./codec.ts";
import { decodeEntry, type Named, writeDecision, writeRange, writeRow } from "./entry.ts";
import { keyOf, shardPartition } from "./partition.ts";
import { Writer } from "./writer.ts";

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
  writeRow(writer, [], shardPartition("rows"), keyOf(["a"]), { text: "value" });
  writeDecision(writer, { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  const lengthAt = entry.indexOf(Buffer.from("text")) - 7;
  for (const longer of [1, 7, 60]) {
    const damaged = Buffer.from(entry);
    damaged[lengthAt + 3]! += longer;
    t.throws(() => decodeEntry(damaged), undefined, `a value ${longer} bytes longer`);
  }
  const endless = Buffer.from(entry);
  endless.writeUInt32BE(entry.length, entry.length - 5);
  t.throws(() => decodeEntry(endless), { message: /no longer than the entry/ });
});

test("an entry reads back as it was written, also one that outgrows its slab", (t) => {
  const writer = new Writer();
  const partition = shardPartition("rows");
  for (const size of [0, 1, 1_000, 40_000, 300_000]) {
    writer.begin();
    const named: Named = [];
    const value = { text: "x".repeat(size), more: Array.from({ length: 20 }, (_, i) => i) };
    writeRow(writer, named, partition, keyOf(["a", 1]), value);
    writeRow(writer, named, partition, keyOf(["b"]), undefined);
    writeRange(writer, named, partition, keyOf([1]), keyOf([2]));
    writeRange(writer, named, partition, "", undefined);
    const decision = {
      now: 1_763_190_000_000,
      address: { kind: "k", tenant: "t", key: "k1" },
      steps: [
        { kind: "k", seed: "seed", events: [{ type: "added", size }] },
        { kind: "twin", seed: "", events: [] },
      ],
    };
    writeDecision(writer, decision);
    const { bytes, changes, ...decided } = decodeEntry(writer.end());
    t.deepEqual(decided, decision);
    const [put, removed, range, rest] = changes;
    t.true(put?.type === "row" && put.key === keyOf(["a", 1]) && put.partition.text === partition.text);
    if (put?.type === "row") t.deepEqual(unpackValue(bytes.subarray(put.start, put.end)), value);
    t.true(removed?.type === "row" && removed.end === 0);
    t.true(range?.type === "range" && range.from === keyOf([1]) && range.to === keyOf([2]));
    t.true(rest?.type === "range" && rest.from === "" && rest.to === undefined);
  }
});

test("an entry names a partition once, and still knows each of many", (t) => {
  const writer = new Writer();
  const partitions = Array.from({ length: 40 }, (_, number) => shardPartition(`collection-${number}`));
  const named: Named = [];
  const written = [...partitions, ...partitions, ...partitions];
  writer.begin();
  for (const [number, partition] of written.entries())
    writeRow(writer, named, partition, keyOf([number]), number);
  writeDecision(writer, { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  t.deepEqual(
    decodeEntry(entry).changes.map(({ partition }) => partition.text),
    written.map(({ text }) => text),
  );
  t.is(entry.toString("latin1").split("collection-3\0").length, 2);
});

test("an entry that refers to a partition it has not named is refused", (t) => {
  const writer = new Writer();
  writer.begin();
  const partition = shardPartition("rows");
  writeRow(writer, [partition], partition, keyOf(["a"]), 1);
  writeDecision(writer, { now: 1, address: undefined, steps: [] });
  const entry = Buffer.from(writer.end());
  t.throws(() => decodeEntry(entry), { message: /has named the partition/ });
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
