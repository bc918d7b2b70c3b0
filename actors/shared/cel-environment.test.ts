import test from "ava";
import { CelEnvironment } from "./cel-environment.ts";

const environment = new CelEnvironment({ input: "dyn", config: "dyn", now: "int" });

const evaluate = (source: string, input: unknown = {}) =>
  environment.evaluate(source, environment.bind({ input, config: { region: "eu" }, now: 1_700_000_000_000 }));

test("an expression sees the variables that its environment declares, and no others", (t) => {
  t.deepEqual(evaluate("input.name + '-' + config.region", { name: "a" }), { value: "a-eu" });
  const compiled = environment.compile("item.key");
  t.deepEqual("problems" in compiled && compiled.problems, [
    { line: 1, column: 1, reason: "unknown name item: there are input, config and now" },
  ]);
});

test("two environments keep the same source apart", (t) => {
  const other = new CelEnvironment({ event: "dyn" });
  t.true("program" in environment.compile("input.a"));
  t.true("problems" in other.compile("input.a"));
  t.deepEqual(other.evaluate("event.n + 1", other.bind({ event: { n: 1 } })), { value: 2 });
});

test("the value of an expression is plain JSON: lists and maps inside each other, whole numbers as numbers", (t) => {
  t.deepEqual(evaluate("{'list': [1, 2.5, 'x', null, true], 'map': {'n': input.n}}", { n: 7 }), {
    value: { list: [1, 2.5, "x", null, true], map: { n: 7 } },
  });
  t.deepEqual(evaluate("input", { deep: [{ a: [] }] }), { value: { deep: [{ a: [] }] } });
});

test("what JSON cannot hold, a missing member and an unknown function are errors with a reason", (t) => {
  t.like(evaluate("timestamp('2026-01-01T00:00:00Z')"), {
    error: "JSON cannot hold a time, bytes or a type; use string(…)",
  });
  t.like(evaluate("9007199254740993"), { error: "JSON cannot hold the number 9007199254740993" });
  t.true("error" in evaluate("input.missing"));
  t.deepEqual(evaluate("shell('x')"), { error: "unknown function shell" });
});

test("expressions over the same values share one budget of steps", (t) => {
  const bindings = environment.bind({ input: { list: Array.from({ length: 200 }, (_, i) => i) } });
  const loop = "input.list.all(a, input.list.all(b, a + b >= 0))";
  const before = bindings.budget.steps;
  environment.evaluate(loop, bindings);
  t.true(bindings.budget.steps < before);
});
