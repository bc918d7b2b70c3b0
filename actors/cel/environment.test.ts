import test from "ava";
import { CelEnvironment } from "./environment.ts";

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

test("a condition that can never be true or false has a problem, also where only an operand is so", (t) => {
  const reasons = (source: string) => environment.conditionProblems(source).map(({ reason }) => reason);
  for (const source of [
    "'x'",
    "1",
    "now",
    "[true]",
    "{'a': true}",
    "input.a + 1",
    "size(input)",
    "input.a ? 1 : 'x'",
    "input.list.filter(x, x)",
    "input.name.lowerAscii()",
    "timestamp('2026-01-01T00:00:00Z').getHours()",
  ])
    t.deepEqual(reasons(source), ["is never true or false, so it would never match"], source);
  for (const source of ["!'x'", "input.a || 1", "true && now", "'x' ? true : false", "input.all(x, x && 1)"])
    t.deepEqual(reasons(source), ["is never true or false, but stands where only those can"], source);
  for (const source of [
    "true",
    "input",
    "input.a",
    "input['a']",
    "has(input.a)",
    "input.a == 1",
    "now > 1",
    "'a' in input.list",
    "input.a ? input.b : true",
    "input.list.exists(now, now)",
    "input.list.exists_one(x, x == 1)",
    "input.name.startsWith('x') && !(input.b || false)",
    "input.a ? 1 : input.b",
  ])
    t.deepEqual(reasons(source), [], source);
});
