import test from "ava";
import fc from "fast-check";
import { limits } from "#base";
import { asRead } from "../../test/support/runtime/as-read.ts";
import { same } from "../../test/support/same.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";

/** Two ends: what one takes the other reads, as often as wanted. */
function startPair() {
  const encoder = new Encoder();
  const decoder = new Decoder();
  return {
    encoder,
    pass(...values: readonly unknown[]): { read: unknown[]; bytes: Uint8Array } {
      for (const value of values) encoder.value(value);
      const bytes = encoder.take();
      const read: unknown[] = [];
      decoder.open(bytes);
      while (!decoder.isAtEnd) read.push(decoder.value());
      return { read, bytes };
    },
  };
}

const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ minLength: 20, maxLength: 100 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 0, -1, 127, 128, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32),
  fc.constantFrom("", "ab", "abc", "known", "a".repeat(32), "b".repeat(33), "c".repeat(63), "d".repeat(64)),
);
/** Few names, so that shapes come again; some of them long, one of them odd. */
const name = fc.oneof(
  fc.constantFrom("id", "key", "state", "0", "constructor", "__proto__", "x".repeat(65)),
  fc.string(),
);
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(name, tie("value"), { maxKeys: 20, noNullPrototype: true }),
    fc.dictionary(fc.string(), fc.integer(), { minKeys: 60, maxKeys: 70, noNullPrototype: true }),
    fc.uint8Array(),
  ),
})).value;

test("every plain value reads back as it was written, whatever went before it", (t) => {
  const { pass } = startPair();
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 4 }), (values) => {
      same(t, pass(...values, ...values).read, asRead([...values, ...values]));
    }),
  );
});

test("names and short texts go once; afterwards an object is its values", (t) => {
  const { pass } = startPair();
  const item = (count: number) => ({ state: "waiting", attempt_count: count, owner: { tenant: "acme" } });
  const { bytes: first } = pass(item(1));
  const { bytes: second, read } = pass(item(2));
  t.deepEqual(read, [item(2)]);
  t.true(Buffer.from(first).includes("attempt_count"));
  t.is(second.length, 3 + 2 + 1 + 3 + 2);
});

test("callers may invent names without end: the two ends begin anew, and everything still reads", (t) => {
  const { pass } = startPair();
  const known = { region: "eu", tier: "gold" };
  const names = Array.from({ length: 3 * limits.linkShapeNamesMax }, (_, i) => `name-${i}`);
  for (const name of names) {
    const values = [known, { [name]: known, after: 1 }, { [name]: name }];
    t.deepEqual(pass(...values).read, values);
  }
  const later = { zone: "west", rank: "silver" };
  pass(later);
  t.is(pass(later).bytes.length, 3 + 2 + 2);
});

test("a member called __proto__ stays a member, also beside others", (t) => {
  const { pass } = startPair();
  const text = '{"a":1,"__proto__":{"admin":true}}';
  const [read] = pass(JSON.parse(text)).read as [object];
  t.is(JSON.stringify(read), text);
  t.is(Object.getPrototypeOf(read), Object.prototype);
});

test("what is taken back leaves nothing behind on either side", (t) => {
  const { encoder, pass } = startPair();
  pass({ a: "first" });
  const { length } = encoder;
  encoder.value({ b: "second", c: "third" });
  encoder.cut(length);
  const values = [{ b: "second", c: "third" }, { a: "first" }, "second"];
  t.deepEqual(pass(...values).read, values);
});

test("bytes that were read do not keep, or change with, what they came in", (t) => {
  const { pass } = startPair();
  const [read] = pass({ body: new Uint8Array([1, 2, 3]) }, "x".repeat(100_000)).read as [{ body: Buffer }];
  t.deepEqual([...read.body], [1, 2, 3]);
  t.true(read.body.buffer.byteLength < 10_000);
});
