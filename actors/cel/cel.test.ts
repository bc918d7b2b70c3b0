import test from "ava";
import { limits } from "#base";
import { bind, compile, evaluateKey, matches, type Program, problemsOf } from "./cel.ts";

function program(source: string): Program {
  const compiled = compile(source);
  if (!("program" in compiled)) throw new Error(JSON.stringify(compiled.problems));
  return compiled.program;
}

const item = {
  key: "k",
  priority: 2,
  attributes: { region: "eu", amount: 12.5, count: 3, tags: ["a", "b"], nested: { deep: true }, none: null },
};
const bindings = bind(item, "tenant-1", 1_000);

const conditions: [string, true | false | "error"][] = [
  ["item.attributes.region == 'eu'", true],
  ["item.priority == 2", true],
  ["item.attributes.count > 2 && item.attributes.amount < 13.0", true],
  ["item.attributes.count + 1 == 4", true],
  ["'a' in item.attributes.tags", true],
  ["has(item.attributes.missing)", false],
  ["has(item.attributes.none)", true],
  ["'none' in item.attributes && !('missing' in item.attributes)", true],
  ["has({'a': null}.a) && 'a' in {'a': null} && has(item.attributes.nested.deep)", true],
  ["item.attributes.none == null && item.attributes['none'] == null && [null][0] == null", true],
  ["has(item.key.none) || has(item.attributes.tags.none)", false],
  ["has(item.attributes.missing.none)", "error"],
  ["item.attributes.missing == 1", "error"],
  ["item.attributes.region", "error"],
  ["item.attributes.nested.deep", true],
  ["tenant == 'tenant-1' && now == 1000", true],
  ["item.attributes.tags.exists(t, t == 'b')", true],
  ["item.key.matches('^k+$')", true],
  ["item.attributes.region.startsWith('e')", true],
  ["1", "error"],
  ["now > timestamp('1970-01-01T00:00:00Z') && timestamp('1970-01-01T00:00:02Z') > now", true],
  ["now == timestamp('1970-01-01T00:00:01Z') && now == 1000 && now != timestamp(0)", true],
  ["now - duration('1s') == timestamp(0) && duration('1s') + now == timestamp(2000)", true],
  ["now - timestamp(0) == duration('1s') && now - duration('1m') < timestamp(item.attributes.count)", true],
  ["now.getFullYear() == 1970 && now.getSeconds() == 1 && now.getHours('+02:00') == 2", true],
  ["now - 1 == 999 && now < 2000.5 && string(now) == '1000'", true],
  ["[timestamp(5)].exists(now, now == timestamp(5))", true],
  ["now > timestamp(item.attributes.region)", "error"],
];
for (const [source, expected] of conditions)
  test(`${source} is ${expected}`, (t) => {
    t.is(matches(program(source), bindings), expected);
  });

const bad: [string, number, number, RegExp][] = [
  ["item.a ==", 1, 10, /a value is missing/],
  ["a b", 1, 3, /an operator is missing/],
  ["other == 1", 1, 1, /unknown name other/],
  ["item.key == 'a' &&\n  foo(item)", 2, 3, /unknown function foo/],
  ["item.attributes.tags.all(t, u)", 1, 29, /unknown name u/],
  ["google.protobuf.Timestamp{}", 1, 1, /unknown/],
  ["item.cost > 99999999999999999999", 1, 13, /99999999999999999999 is beyond what an int holds/],
  ["item.cost == 1 ||\n -9223372036854775809 < item.cost", 2, 2, /beyond what an int holds/],
  ["item.cost == 18446744073709551616u", 1, 14, /18446744073709551616u is beyond what a uint holds/],
];
for (const [source, line, column, reason] of bad)
  test(`${JSON.stringify(source)} is refused at ${line}:${column}`, (t) => {
    const [problem] = problemsOf(source, "condition");
    t.like(problem, { line, column });
    t.regex(problem!.reason, reason);
  });

const mistaken: ["condition" | "key", string, number, number, RegExp][] = [
  ["condition", "item.keyy == 'a'", 1, 5, /item has no keyy: there are key, attributes/],
  ["condition", "true &&\n has(item.tier)", 2, 2, /item has no tier/],
  ["condition", "tenant.id == 'a'", 1, 7, /tenant has no id: it is the tenant's id/],
  [
    "condition",
    "item.priority < 2 || has(now.hour)",
    1,
    22,
    /now has no hour: it is a number of milliseconds/,
  ],
  ["key", "tenant.id", 1, 7, /tenant has no id/],
  ["condition", "true &&\n now > 'noon'", 2, 6, /now .* cannot be compared with a string/],
  ["condition", "now > duration('1h')", 1, 5, /now .* cannot be compared with a duration/],
  ["condition", "1000 < timestamp(0)", 1, 6, /a timestamp cannot be compared with a number/],
  ["condition", "now + 1 < timestamp(0)", 1, 9, /a timestamp cannot be compared with a number/],
  ["condition", "now == true", 1, 5, /now .* cannot be compared with true or false/],
  ["condition", "duration('1h') > 5", 1, 16, /a duration cannot be compared with a number/],
  ["condition", "item.key.matches('(')", 1, 9, /missing closing/],
  ["condition", "1 + 1", 1, 1, /never match/],
  ["condition", "item.key", 1, 1, /never match/],
  ["condition", "now", 1, 1, /never match/],
  ["condition", "item.priority > 2 ? 'a' : size(item.key)", 1, 1, /never match/],
  ["key", "item.attributes", 1, 1, /never a string/],
  ["key", "[item.key]", 1, 1, /never a string/],
  ["key", "item.customer", 1, 5, /item has no customer/],
];
for (const [purpose, source, line, column, reason] of mistaken)
  test(`${JSON.stringify(source)} as a ${purpose} is a mistake at ${line}:${column}`, (t) => {
    const [problem] = problemsOf(source, purpose);
    t.like(problem, { line, column });
    t.regex(problem!.reason, reason);
  });

test("what may be right for some item is no mistake", (t) => {
  for (const source of [
    "item.cost > -9223372036854775808 && item.cost < 9223372036854775807 && 18446744073709551615u > 0u",
    "item.attributes.flag",
    "item.payload.urgent",
    "item.attributes['a'] ? true : item.attributes.b",
    "has(item.attributes.tier) && item.attributes.tier == 'gold'",
    "item.attributes.list.exists(item, item.any == 1)",
    "item.attributes.list.exists(tenant, tenant.id == 1)",
    "item.key.matches(item.attributes.pattern)",
    "item.key.matches('^a+$')",
    "now > item.attributes.from && now - 5 < item.attributes.to && timestamp(item.attributes.at) > now",
    "item.attributes.list.exists(now, now == 'a')",
    "true",
  ])
    t.deepEqual(problemsOf(source, "condition"), [], source);
  for (const source of ["item.key", "tenant", "1", "item.key + item.attributes.b", "item.attributes.c.id"])
    t.deepEqual(problemsOf(source, "key"), [], source);
});

test("an expression is bounded in size and depth", (t) => {
  t.regex(
    problemsOf(`item.key == '${"x".repeat(limits.celBytesMax)}'`, "condition")[0]!.reason,
    /longer than/,
  );
  t.regex(
    problemsOf(`${"!".repeat(3)}${"[".repeat(100)}1${"]".repeat(100)}`, "condition")[0]!.reason,
    /nested/,
  );
});

test("loops are metered: a quadratic expression over a long list fails instead of running on", (t) => {
  const long = bind({ list: Array.from({ length: 900 }, (_, index) => index) }, "t", 0);
  t.is(matches(program("item.list.exists(x, x == 899)"), long), true);
  t.is(matches(program("item.list.all(x, item.list.exists(y, y == x))"), long), "error");
  // The meter starts again with every evaluation.
  t.is(matches(program("item.list.exists(x, x == 899)"), long), true);
});

test("text is metered: a long string cannot be read again and again", (t) => {
  const long = bind({ text: "x".repeat(60_000) }, "t", 0);
  t.is(matches(program("size(item.text) > 1"), long), true);
  t.is(matches(program(Array.from({ length: 60 }, () => "size(item.text) > 1").join(" && ")), long), "error");
  const doubled = ".map(x, x + x)".repeat(6);
  t.is(matches(program(`[item.text]${doubled}.size() == 1`), long), "error");
});

test("all expressions over one item share a budget", (t) => {
  const shared = bind({ text: "x".repeat(60_000) }, "t", 0);
  const one = program("size(item.text) > 1 && size(item.text) > 2 && size(item.text) > 3");
  const results = Array.from({ length: 30 }, () => matches(one, shared));
  t.is(results[0], true);
  t.is(results.at(-1), "error");
});

test("text too long to look at is not there", (t) => {
  const huge = bind({ text: "x".repeat(100_000) }, "t", 0);
  t.is(matches(program("item.text == null"), huge), true);
});

test("functions that can answer far more than they are given are not there", (t) => {
  t.regex(problemsOf("'a'.replace('', 'b') == ''", "condition")[0]!.reason, /unknown function replace/);
});

test("a regular expression cannot run away", (t) => {
  const text = bind({ text: `${"a".repeat(5_000)}!` }, "t", 0);
  t.is(matches(program("item.text.matches('(a+)+$')"), text), false);
});

test("a regular expression is paid for by what it is written out to, and before it is run", (t) => {
  const text = bind({ text: "a".repeat(60_000), pattern: "ab".repeat(30_000) }, "t", 0);
  for (const pattern of ["(a?){500}(a?){500}$", "(a|aa|aaa|b){20}c", "(((a{10}){10}){10})b"])
    t.is(matches(program(`item.text.matches("${pattern}")`), text), "error", pattern);
  t.is(matches(program("'a'.matches(item.pattern)"), text), "error");
  t.regex(problemsOf(`'a'.matches("${"a{1000}".repeat(400)}")`, "condition")[0]!.reason, /steps/);
  t.regex(problemsOf(`'a'.matches("(?i)${"[B-\\\\x{10FFFF}]".repeat(9)}")`, "condition")[0]!.reason, /steps/);
  t.regex(problemsOf(`'a'.matches("${"\\\\pL".repeat(800)}")`, "condition")[0]!.reason, /steps/);
  const ordinary = bind({ text: `${"word ".repeat(1_000)}refund`, host: "a.example.com" }, "t", 0);
  t.is(matches(program("item.text.matches('(?i)Refund|chargeback')"), ordinary), true);
  t.is(matches(program("item.host.matches('^[a-z0-9-]{1,63}([.][a-z0-9-]{1,63}){1,10}$')"), ordinary), true);
});

test("lists are paid for to their depths: what is inside them is compared too", (t) => {
  const deep = bind({ list: [Array.from({ length: 5_000 }, (_, index) => index)] }, "t", 0);
  t.is(matches(program("item.list == item.list"), deep), true);
  t.is(matches(program("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, item.list == item.list)"), deep), "error");
});

test("keys tell types apart and take scalars only", (t) => {
  const key = (source: string) => evaluateKey(program(source), bindings);
  t.deepEqual(key("item.key"), { key: "s:k" });
  t.deepEqual(key("item.priority"), { key: "i:2" });
  t.deepEqual(key("2.0"), { key: "i:2" });
  t.deepEqual(key("'2'"), { key: "s:2" });
  t.deepEqual(key("true"), { key: "b:true" });
  t.deepEqual(key("item.attributes.amount"), { key: "d:12.5" });
  t.true("error" in key("item.attributes.tags"));
  t.true("error" in key("item.attributes.missing"));
});

test("the same source is compiled once", (t) => {
  t.is(compile("item.key == 'once'"), compile("item.key == 'once'"));
});

test("an expression that is nested too deep for the parser itself is told so", (t) => {
  for (const [open, close] of [
    ["(", ")"],
    ["[", "]"],
  ] as const) {
    const source = `${open.repeat(2_000)}true${close.repeat(2_000)}`;
    t.deepEqual(problemsOf(source, "condition"), [
      { line: 1, column: 1, reason: "nested more than 64 deep" },
    ]);
  }
});
