import { create, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import test from "ava";
import fc from "fast-check";
import { bodies, keys } from "../../test/support/arbitraries.ts";
import { same } from "../../test/support/same.ts";
import { fillDefaults, fromPlain, fromProtoJson, toPlain } from "./index.ts";
import { loadShapes, shapes } from "./shapes.cases.ts";

const { input: desc } = loadShapes().descriptor;

test("a message of every shape comes back from binary as it was", (t) => {
  const bytes = toBinary(desc, fromPlain(desc, shapes));
  t.deepEqual(toPlain(desc, fromBinary(desc, bytes)), { ...shapes, given: "" });
});

test("ProtoJSON as protobuf-es writes it becomes the same plain message", (t) => {
  const { any: _any, ...rest } = shapes;
  const json = toJson(desc, fromPlain(desc, rest));
  const plain = fromProtoJson(desc, JSON.parse(JSON.stringify(json)), { jsonNames: true });
  fillDefaults(desc, plain);
  t.deepEqual(plain, { ...rest, given: "" });
});

test("both spellings of one field are not a way to set it twice", (t) => {
  t.deepEqual(fromProtoJson(desc, { maybeText: "ab", maybe_text: "cd" }, { jsonNames: true }), {
    maybeText: "ab",
    maybe_text: "cd",
  });
  t.deepEqual(fromProtoJson(desc, { maybeText: "ab" }), { maybeText: "ab" });
});

test("numbers, times and lengths survive the way through binary", (t) => {
  const millisecond = fc.integer({ min: Date.UTC(1, 0), max: Date.UTC(9999, 11) });
  fc.assert(
    fc.property(
      fc.maxSafeInteger(),
      millisecond,
      fc.string({ unit: "binary" }),
      keys({ unit: "binary" }),
      fc.uint8Array(),
      fc.double({ noNaN: true }),
      (large, ms, text, key, bytes, fraction) => {
        const plain = {
          large,
          at: new Date(ms).toISOString(),
          maybe_text: text,
          data: Buffer.from(bytes).toString("base64"),
          fraction,
          larges_by_name: { [key]: large },
        };
        const back = toPlain(desc, fromBinary(desc, toBinary(desc, fromPlain(desc, plain)))) as typeof plain;
        for (const field of Object.keys(plain) as (keyof typeof plain)[])
          t.deepEqual(back[field], plain[field]);
      },
    ),
  );
});

test("a map with the key __proto__ is refused on both ways", (t) => {
  const refused = { message: /the key __proto__ is not allowed/ };
  const larges = Object.fromEntries([["__proto__", 1]]);
  t.throws(() => fromPlain(desc, { larges_by_name: larges }), refused);
  const message = create(desc, {});
  Object.assign(message, { largesByName: Object.fromEntries([["__proto__", 1n]]) });
  t.throws(() => toPlain(desc, message), refused);
  const struct = Object.fromEntries([["deep", { list: [Object.fromEntries([["__proto__", 1]])] }]]);
  t.throws(() => toPlain(desc, Object.assign(create(desc, {}), { structure: struct })), refused);
});

test("any JSON is a Value, and comes back as it was", (t) => {
  fc.assert(
    fc.property(bodies({ maxDepth: 4 }), (json) => {
      const back = toPlain(desc, fromJson(desc, { value: json })) as { value?: unknown };
      same(t, back.value, json);
    }),
  );
});

test("an answer is completed with the zeros its author left out, at every depth", (t) => {
  const answer = { inners: [{ left: "l" }], inners_by_name: { a: {} }, again: {}, maybe_text: undefined };
  fillDefaults(desc, answer);
  t.like(answer, { text: "", large: 0, color: "COLOR_UNSPECIFIED", texts: [] });
  t.deepEqual(answer.inners, [{ left: "l", name: "" }] as never);
  t.deepEqual(answer.inners_by_name, { a: { name: "" } } as never);
  t.like(answer.again, { text: "", larges_by_name: {} });
  t.is(JSON.parse(JSON.stringify(answer)).maybe_text, undefined);
});
