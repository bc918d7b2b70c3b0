import test from "ava";
import fc from "fast-check";
import { same } from "../../test/support/same.ts";
import { fillDefaults, printerOf } from "./index.ts";
import { inner, loadShapes, shapes } from "./shapes.cases.ts";

const { input: desc } = loadShapes().descriptor;
const print = printerOf(desc);

/** What the printer stands in for. */
function filled(plain: object): unknown {
  const copy = structuredClone(plain);
  fillDefaults(desc, copy);
  return JSON.parse(JSON.stringify(copy));
}

test("a message of every shape is printed as it is", (t) => {
  t.deepEqual(JSON.parse(print(shapes)), filled(shapes));
});

test("what is not set is printed as its zero, or left out, at every depth", (t) => {
  const messages = [
    {},
    { maybe_text: undefined, text: undefined },
    { inners: [{ left: "l" }, {}], inners_by_name: { 'a "b"': {} }, again: { again: {} } },
    { inner: { ...inner, name: undefined } },
  ];
  for (const message of messages) t.deepEqual(JSON.parse(print(message)), filled(message));
});

test("any text, number and JSON is printed as JSON.stringify prints it", (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.jsonValue({ maxDepth: 3 }),
      (text, fraction, value) => {
        const message = {
          text,
          fraction,
          value: JSON.parse(JSON.stringify(value)),
          texts: [text],
          larges_by_name: { [text]: 1 },
          inners_by_name: { [text]: inner },
        };
        same(t, JSON.parse(print(message)), filled(message));
      },
    ),
  );
});
