import { celEnv, isCelError, isCelList, parse, plan } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import test from "ava";
import fc from "fast-check";
import { bind, compile } from "./cel.ts";

const library = celEnv({ funcs: [...strings] });

/** Few letters, so that searches find something and fail late; characters of one, two and four bytes. */
const letters = fc.string({ unit: fc.constantFrom("a", "b", "A", "é", "😀", " "), maxLength: 40 });
const values = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  letters,
  fc.array(fc.oneof(fc.integer({ max: 3, min: 0 }), letters), { maxLength: 5 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(fc.integer({ max: 1, min: 0 }), fc.boolean())),
);

const ofTexts = [
  "item.text.contains(item.part)",
  "item.text.indexOf(item.part)",
  "item.text.indexOf(item.part, item.at)",
  "item.text.lastIndexOf(item.part)",
  "item.text.lastIndexOf(item.part, item.at)",
  "item.text.split(item.part)",
  "item.text.split(item.part, item.at)",
  "item.text.split(item.part, item.at - 1)",
  "item.text.lowerAscii()",
  "item.text.upperAscii()",
  "size(item.text)",
  "item.text.size()",
  "item.text.contains(item.at)",
  "item.text.indexOf(item.part, 'a')",
  "item.text.contains(item.part, item.part)",
  "size(item.text, item.text)",
];
for (const source of ofTexts)
  test(`${source} is what the library makes of it, for any text`, (t) => {
    fc.assert(
      fc.property(letters, letters, fc.nat(45), fc.boolean(), (text, part, at, inside) => {
        // Mostly a part is nowhere: half of them are cut from the text, and repeated to be long.
        const found = inside ? text.slice(at % 7, (at % 7) + 20) : part;
        t.deepEqual(...both(source, { text: text + text, part: found, at }));
      }),
      { numRuns: 200 },
    );
  });

const ofValues = [
  "item.a == item.b",
  "item.a != item.b",
  "[item.a] == [item.b]",
  "{'x': item.a} == {'x': item.b}",
  "item.a in [item.b, item.c]",
  "item.a in item.b",
  "item.a + item.b",
  "item.a[0]",
  "item.a[item.b]",
  "item.a[1.0]",
  "item.a[true]",
  "item.a.map(x, [x])",
  "item.a.map(x, x == item.b, x)",
  "item.a.filter(x, x != 1)",
  "item.a.map(x, item.a.map(y, [x, y]))",
  "item.a.filter(x, item.a.exists_one(y, x == y)).map(x, [x, x])",
  "(item.a + item.a).map(x, x)",
];
for (const source of ofValues)
  test(`${source} is what the library makes of it, for any values`, (t) => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        t.deepEqual(...both(source, { a, b, c }));
      }),
      { numRuns: 200 },
    );
  });

/** As this environment and as the library has it, both as plain values. */
function both(source: string, item: unknown): [unknown, unknown] {
  const compiled = compile(source);
  if (!("program" in compiled)) throw new Error(JSON.stringify(compiled.problems));
  const bindings = bind(item, "t", 0);
  const theirs = plan(library, parse(source))({ item: bindings.values.item as never });
  return [plainOf(compiled.program.run(bindings)), plainOf(theirs)];
}

/** Texts of errors may differ. */
function plainOf(value: unknown): unknown {
  if (isCelError(value)) return "error";
  if (isCelList(value)) return Array.from(value, plainOf);
  return typeof value === "object" && value !== null && "entries" in value
    ? Array.from((value as Map<unknown, unknown>).entries(), ([key, held]) => [key, plainOf(held)])
    : value;
}
