import test from "ava";
import { CelEnvironment } from "./environment.ts";
import { fill, fillBy, partsOf, TemplateError } from "./template.ts";

const values: Readonly<Record<string, unknown>> = { name: "a b", none: null, list: [1, 2] };
const evaluate = (source: string) => {
  if (!(source in values)) throw new TemplateError(`${source}: is not there`);
  return values[source];
};

test("a text that is one expression becomes its value; in any other text the value is a text", (t) => {
  const template = { one: "${list}", in: ["${name}: ${list} ${none}."], number: 3 };
  t.deepEqual(fill(template, { evaluate }), { one: [1, 2], in: ["a b: [1,2] ."], number: 3 });
});

test("`$${` means itself, and braces in quotes and maps do not end an expression", (t) => {
  t.is(fill("$${name} ${name}", { evaluate }), "${name} a b");
  t.deepEqual(partsOf(`\${{"}": 1}["}"]} x`), [{ source: `{"}": 1}["}"]`, offset: 2 }, { text: " x" }]);
  t.deepEqual(partsOf("ab ${c"), { unclosed: 3 });
});

test("members that are null are left out only where that is asked for; values inside texts are encoded", (t) => {
  const template = { none: "${none}", name: "${name}" };
  t.deepEqual(fill(template, { evaluate }), { none: null, name: "a b" });
  const encoded = { evaluate, encode: encodeURIComponent, dropsNull: true };
  t.deepEqual(fill(template, encoded), { name: "a%20b" });
  t.is(fill("/x y/${name}", encoded), "/x y/a%20b");
});

test("an expression without a value fails the whole template", (t) => {
  t.throws(() => fill(["${missing}"], { evaluate }), { instanceOf: TemplateError });
  const environment = new CelEnvironment({ input: "dyn" });
  const bindings = () => environment.bind({ input: { a: 1 } });
  t.deepEqual(fillBy("${input.a + 1}", environment, bindings), { value: 2 });
  t.regex((fillBy("x ${input.b}", environment, bindings) as { error: string }).error, /^\$\{input\.b\}: /);
});
