import test from "ava";
import fc from "fast-check";
import { afterPrefix, decodeTuple, encodeTuple, encodeTupleText, type TuplePart } from "./index.ts";

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
      t.is(encodeTupleText(parts), Buffer.from(encodeTuple(parts)).toString("latin1"));
    }),
  );
  t.is(encodeTupleText(["x".repeat(10_000), 7]).length, 10_010);
});

test("keys sort as their tuples do, part by part", (t) => {
  fc.assert(
    fc.property(tuple, tuple, (a, b) => {
      t.is(Math.sign(Buffer.compare(encodeTuple(a), encodeTuple(b))), compareTuples(a, b));
    }),
  );
  t.pass();
});

test("afterPrefix ends the range of exactly the keys that start with the prefix", (t) => {
  fc.assert(
    fc.property(tuple, tuple, (prefix, rest) => {
      const end = afterPrefix(encodeTuple(prefix));
      t.true(Buffer.compare(encodeTuple([...prefix, ...rest]), end) < 0);
    }),
  );
  t.true(Buffer.compare(encodeTuple(["b"]), afterPrefix(encodeTuple(["a"]))) > 0);
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
