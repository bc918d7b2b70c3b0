import { isCelError } from "@bufbuild/cel";
import test from "ava";
import { limits } from "#base";
import { bind, compile, lazyProgram, matches, type Program } from "./cel.ts";

function program(source: string): Program {
  const compiled = compile(source);
  if (!("program" in compiled)) throw new Error(JSON.stringify(compiled.problems));
  return compiled.program;
}

/** Steps of one evaluation, and whether it came to an end. */
function run(source: string, item: unknown): { steps: number; ended: boolean; reason: string } {
  const bindings = bind(item, "t", 0);
  const before = bindings.budget.steps;
  const result = program(source).run(bindings);
  const reason = isCelError(result) ? result.message : "";
  return { steps: before - bindings.budget.steps, ended: !/more steps/.test(reason), reason };
}

/** Each is given `text`, `part` and `list` of some length. */
const growing = [
  "item.text == item.text + ''",
  "item.text < item.text + 'a'",
  "size(item.text) == 0",
  "item.text.startsWith(item.text)",
  "item.text.endsWith(item.text)",
  "item.text.contains('y')",
  "item.text.indexOf('y') == 0",
  "item.text.lastIndexOf('y') == 0",
  "item.text.split('y').size() == 0",
  "item.text.substring(0) == ''",
  "item.text.lowerAscii() == ''",
  "item.text.upperAscii() == ''",
  "item.text.trim() == ''",
  "item.text.matches('^x+$')",
  "'a'.matches(item.part)",
  "bytes(item.text).size() == 0",
  "string(bytes(item.text)) == ''",
  "bytes(item.text) == bytes(item.text)",
  "double(item.text) == 0.0",
  "item.list == item.list + []",
  "-1 in item.list",
  "(item.list + item.list).size() == 0",
  "item.list.all(n, n >= 0)",
  "item.list.exists(n, n < 0)",
  "item.list.exists(n, true)",
  "item.list.exists_one(n, n == 1)",
  "item.list.map(n, n).size() == 0",
  "item.list.filter(n, n > 1).size() == 0",
  "item.names == {} || item.names == item.names.map(n, n)[0] || [item.names] == [item.names]",
  "1 in item.names || item.names[1] == 1 || true",
];
for (const source of growing)
  test(`${source}: four times as much is charged three times as much or more`, (t) => {
    const little = run(source, sized(100));
    const much = run(source, sized(400));
    t.true(little.ended && much.ended, `${little.reason} ${much.reason}`);
    const fixed = run(source, sized(0)).steps;
    t.true(much.steps - fixed >= 3 * (little.steps - fixed), `${fixed}, ${little.steps}, ${much.steps}`);
    t.true(much.steps > fixed, "more than for nothing");
  });

function sized(length: number): unknown {
  const list = Array.from({ length }, (_, index) => index);
  return {
    text: "x".repeat(length),
    part: "x".repeat(length),
    list,
    names: Object.fromEntries(list.map((n) => [`n${n}`, n])),
  };
}

const x = "x".repeat(60_000);
const half = "x".repeat(500);
const numbers = Array.from({ length: 1_000 }, (_, index) => index);
const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`n${index}`, index]));
const attack = { x, half, numbers, names, digits: "9".repeat(60_000), needle: `${half}y${half}` };
/** Each took 20 ms to 15 s, for a few hundred steps. */
const attacks = [
  "item.numbers.all(n, item.x.lastIndexOf(item.needle) < 0)",
  "item.numbers.all(n, item.x.indexOf(item.needle) < 0)",
  "item.numbers.all(n, !item.x.contains(item.needle))",
  "item.numbers.all(n, item.x.split(item.needle).size() == 1)",
  "item.numbers.all(n, item.numbers.map(m, m).size() == 1000)",
  "item.numbers.all(n, item.names[n] == 0 || true)",
  "item.numbers.all(n, !(n in item.names))",
  `item.numbers.all(n, ${Array.from({ length: 200 }, () => "item.missing").join(" || ")} || true)`,
  "item.numbers.all(n, bytes(item.x) == bytes(item.x))",
  "item.numbers.all(n, timestamp(n).getHours('America/New_York') > 0)",
  "item.numbers.all(n, n < 'a' || true)",
  "item.numbers.all(n, item.names.exists(name, true))",
  "item.x.matches('^(x|xx|xxx)*$')",
];
for (const source of attacks)
  test(`${source.slice(0, 90)} ends when its steps are used up`, (t) => {
    const { steps, ended, reason } = run(source, attack);
    t.false(ended, reason);
    t.is(steps, limits.celStepsMax);
  });

test("a number of 60,000 digits is not read, and neither is such a time zone", (t) => {
  t.regex(run("int(item.digits) > 0", attack).reason, /60000 characters is too long/);
  t.regex(run("uint(item.digits) > 0u", attack).reason, /too long/);
  t.regex(run("timestamp(0).getHours(item.digits) > 0", attack).reason, /too long/);
  t.is(matches(program("int('-12') == -12 && uint('12') == 12u"), bind(null, "t", 0)), true);
});

test("an expression that has used up its steps fails as a whole: neither || nor exists take that for an answer", (t) => {
  const endless = "item.numbers.all(n, item.numbers.all(m, true))";
  for (const source of [
    `${endless} || true`,
    `[1].exists(n, ${endless} || true)`,
    `!(${endless}) ? true : true`,
  ])
    t.is(matches(program(source), bind(attack, "t", 0)), "error", source);
});

test("six expensive rules over one item have the steps of one item together", (t) => {
  const bindings = bind(attack, "t", 0);
  for (const source of attacks.slice(0, 6)) t.is(matches(program(source), bindings), "error");
  t.is(bindings.budget.steps, 0);
  t.is(matches(program("true"), bindings), "error");
});

test("the list that map makes is walked once: a thousand elements are mapped and filtered", (t) => {
  const source = "item.numbers.map(n, n + 1).filter(n, n > 999).size() == 2";
  t.is(matches(program(source), bind({ numbers: numbers.slice(0, 600).concat(998, 999) }, "t", 0)), false);
  t.is(matches(program("item.numbers.map(n, n)[999] == 999"), bind(attack, "t", 0)), true);
});

test("an expression is parsed when it is first run, at the cost of its command", (t) => {
  const lazy = lazyProgram("item.half == 'parsed once'");
  const first = bind(attack, "t", 0);
  const again = bind(attack, "t", 0);
  t.is(matches(lazy, first), false);
  t.is(matches(lazy, again), false);
  t.true(again.commandBudget.steps - first.commandBudget.steps >= lazy.source.length);
  t.is(first.budget.steps, again.budget.steps, "not of the item");
});

test("an empty text and a pattern that costs too much are refused too", (t) => {
  t.false(run(`''.matches(r'\\Qa\\E')`, null).ended);
});
