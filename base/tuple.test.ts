import test from "ava";
import fc from "fast-check";
import { decodeTuple, encodeTuple, type TuplePart } from "./index.ts";

const part = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom("", "\0", "\0\0", "a\0", "\xff"),
);
const tuple = fc.array(part, { maxLength: 4 });

test("a tuple reads back as it was written", (t) => {
  fc.assert(fc.property(tuple, (parts) => t.deepEqual(decodeTuple(encodeTuple(parts)), parts)));
  t.pass();
});

test("the text of a tuple has one character for each byte", (t) => {
  fc.assert(
    fc.property(tuple, (parts) => {
      const text = encodeTuple(parts);
      t.is(Buffer.from(text, "latin1").toString("latin1"), text);
    }),
  );
  t.is(encodeTuple(["x".repeat(10_000), 7]).length, 10_010);
});

test("keys sort as their tuples do, part by part", (t) => {
  fc.assert(
    fc.property(tuple, tuple, (a, b) => {
      const [x, y] = [encodeTuple(a), encodeTuple(b)];
      t.is(x < y ? -1 : x > y ? 1 : 0, compareTuples(a, b));
      t.true(Buffer.compare(Buffer.from(x, "latin1"), Buffer.from(y, "latin1")) === compareTuples(a, b));
    }),
  );
  t.pass();
});

test("a prefix of parts is a prefix of the text, and all that begins with it comes before its end", (t) => {
  fc.assert(
    fc.property(tuple, tuple, (prefix, rest) => {
      const text = encodeTuple([...prefix, ...rest]);
      t.true(text.startsWith(encodeTuple(prefix)));
      t.true(text < `${encodeTuple(prefix)}\xff`);
    }),
  );
  t.true(encodeTuple(["b"]) > `${encodeTuple(["a"])}\xff`);
});

test("what is no tuple is refused", (t) => {
  for (const text of ["\x02abc", "\x02abc\0\xff", "\x04", encodeTuple([5]).slice(0, -1), "\x07", "abc"])
    t.throws(() => decodeTuple(text), { instanceOf: RangeError });
});

function compareTuples(a: readonly TuplePart[], b: readonly TuplePart[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = comparePart(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function comparePart(a: TuplePart, b: TuplePart): number {
  if (typeof a === "number" && typeof b === "number") return Math.sign(a - b);
  if (typeof a === "string" && typeof b === "string")
    return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return typeof a === "string" ? -1 : 1;
}
