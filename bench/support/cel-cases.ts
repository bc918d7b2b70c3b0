import { limits } from "#base";

/** An expression and an item that make one function, operator or macro work as hard as possible. */
export interface Case {
  readonly source: string;
  readonly item: unknown;
}

const length = limits.celTextMax - 1;
const x = "x".repeat(length);
const spaces = " ".repeat(length);
const wide = "é☃".repeat(length / 2);
const digits = "9".repeat(length);
const mixed = 'aA"\\é'.repeat(length / 5);
const halfX = "x".repeat(500);
const numbers = Array.from({ length: 1_000 }, (_, index) => index);
const many = Array.from({ length: 9_000 }, (_, index) => index);
const names = Object.fromEntries(many.map((n) => [`name${n}`, n]));
const item = { x, spaces, wide, digits, mixed, halfX, numbers, many, names, short: "eu", nested: nested(20) };

/** By group; each group is a contender. */
export const cases: Readonly<Record<string, Readonly<Record<string, readonly Case[]>>>> = {
  text: {
    equal: over(["item.x == item.x + ''", "item.wide == item.wide + ''", "'a' == 'b'"]),
    less: over(["item.x < item.x + 'y'", "item.wide >= item.wide + 'y'", "'a' < 'b'"]),
    plus: over(["size([item.x + item.x]) == 1", "item.x + item.wide == ''", "'a' + 'b' == 'c'"]),
    size: over(["size(item.x) == 1", "item.wide.size() == 1", "size('a') == 1"]),
    starts_with: over(["item.x.startsWith(item.x)", "item.wide.startsWith(item.wide)"]),
    ends_with: over(["item.x.endsWith(item.x)", "item.wide.endsWith(item.wide)"]),
    substring: over(["item.x.substring(1, 60000) == item.x", "item.x.substring(5) == ''"]),
    char_at: over(["item.x.charAt(60000) == 'x'", "(item.x + 'y').charAt(3) == 'x'"]),
    lower_ascii: over([
      "item.x.lowerAscii() == ''",
      "item.mixed.lowerAscii() == ''",
      "item.wide.lowerAscii() == ''",
    ]),
    upper_ascii: over([
      "item.x.upperAscii() == ''",
      "item.mixed.upperAscii() == ''",
      "item.wide.upperAscii() == ''",
    ]),
    trim: over(["item.spaces.trim() == ''", "item.x.trim() == ''", "' a '.trim() == ''"]),
  },
  search: {
    contains: over(parts((part) => `item.x.contains(${part})`)),
    index_of: over([...parts((part) => `item.x.indexOf(${part}) == 0`), "item.x.indexOf('xy', 9) == 0"]),
    last_index_of: over([
      ...parts((part) => `item.x.lastIndexOf(${part}) == 0`),
      "item.x.lastIndexOf('yx', 9) == 0",
      "item.wide.lastIndexOf('é☃x') == 0",
    ]),
    split: over([
      ...parts((part) => `item.x.split(${part}).size() == 0`),
      "item.x.split('').size() == 0",
      "item.x.split('x').size() == 0",
      "item.wide.split('').size() == 0",
      "item.x.split('x', 9).size() == 0",
    ]),
  },
  conversions: {
    int: over(["int(item.digits) == 0", "int('123') == 0", "int(1.5) == 0", "int('no') == 0"]),
    uint: over(["uint(item.digits) == 0u", "uint('123') == 0u"]),
    double: over(["double(item.digits) == 0.0", "double('1.5') == 0.0", "double(item.x) == 0.0"]),
    bool: over(["bool(item.x)", "bool('true')"]),
    bytes: over(["bytes(item.x).size() == 0", "bytes(item.wide).size() == 0", "bytes('a').size() == 0"]),
    bytes_equal: over(["[bytes(item.x)].all(b, [1, 2, 3, 4].all(i, b == b + b'' && b < b + b'a'))"]),
    string: over(["string(bytes(item.wide)) == ''", "string(1.5) == ''", "string(1) == ''"]),
    type: over(["type(item.x) == int", "type(1) == int", "type(item.names) == map"]),
    arithmetic: over([repeated("1 + 2 * 3 - 4 / 5 % 6 == 7", 100), repeated("1.5 * 2.5 / 3.5 == 7.0", 100)]),
    mismatch: over([
      repeated("1 < 'a'", 200),
      repeated("1 + 'a' == 1", 200),
      "item.numbers.all(n, n + 'a' == 1 || true)",
    ]),
  },
  times: {
    timestamp: over([
      "timestamp('2026-01-01T00:00:00Z') == timestamp(0)",
      "timestamp(item.x) == timestamp(0)",
    ]),
    duration: over([
      `duration('${"1ns".repeat(42)}') == duration('1h')`,
      "duration(item.x) == duration('1s')",
    ]),
    time_text: over(["string(timestamp(0)) == ''", "string(duration('1s')) == ''"]),
    time_sum: over(["timestamp(0) + duration('1s') - duration('2s') < timestamp(0)"]),
    calendar: over(["timestamp(0).getFullYear() == 1", "timestamp(0).getDayOfYear() == 1"]),
    calendar_zone: over([
      "timestamp(0).getHours('America/New_York') == 1",
      "timestamp(0).getHours('Mars/Base') == 1",
      "timestamp(0).getDayOfYear('+02:00') == 1",
      "timestamp(0).getHours(item.x) == 1",
    ]),
  },
  patterns: {
    matches: over([
      "item.short.matches('^[a-z]+$')",
      "item.x.substring(0, 5000).matches('^x+$')",
      "item.x.substring(0, 5000).matches('^(x|xx|xxx)*$')",
      "item.x.substring(0, 500).matches('(x+x+)+$')",
      "(item.x.substring(0, 1000) + 'yz').matches('(a|b|x)*y$')",
      "(item.x.substring(0, 200) + 'yz').matches('(x?){20}(x?){20}y$')",
      "(item.x.substring(0, 200) + 'yz').matches('(x*)*(x*)*(x*)*(x*)*y$')",
      "item.mixed.substring(0, 1000).matches('(?i)[a-z]+☃')",
      "item.wide.substring(0, 2000).matches('^\\\\pL+$')",
      "item.wide.substring(0, 2000).matches('^.*$')",
    ]),
    compile: over(
      [
        "a{1000}",
        "(a|b|c){300}",
        "(a?){300}",
        "\\pL\\pN\\p{Lu}\\PL",
        "a".repeat(1_900),
        `(?i)${"a".repeat(1_500)}`,
        `(?i)${"[a-z]".repeat(200)}`,
        "(?i)[^a]",
        "(?i)[a-ω]",
        "(?i)\\pL\\D\\W",
        "(a*)*".repeat(200),
        `${"(a|".repeat(60)}b${")".repeat(60)}`,
        "é".repeat(1_000),
        "[α-ω]".repeat(200),
        `${"ab|".repeat(500)}c`,
        "[[:alpha:]]".repeat(200),
        "^[a-z0-9-]{1,63}([.][a-z0-9-]{1,63}){1,10}$",
      ].map((pattern) => `'a'.matches(r'${pattern}')`),
    ),
  },
  lists: {
    equal: over([
      "item.many == item.many + []",
      "item.nested == item.nested + []",
      "item.numbers == item.numbers + []",
    ]),
    map_equal: over(["[item.names].all(m, m == m) && {'a': item.names} == {'a': item.names}"]),
    in_list: over(["-1 in item.many", "'a' in item.many", "[1] in item.nested"]),
    in_map: over([
      "'a' in item.names",
      "1 in item.names",
      "1.5 in item.names",
      "[1, 2, 3].all(n, !(n in item.names))",
    ]),
    index: over([
      "item.many[8999] == 0",
      repeated("item.names[1] == 0", 50),
      "item.numbers.all(n, item.numbers[n] == n)",
      "item.names['name1'] == 0",
    ]),
    plus: over(["(item.many + item.many).size() == 0", "(item.nested + [1]).size() == 0"]),
    size: over(["item.many.size() == 0", "size(item.names) == 0"]),
    has: over([repeated("!has(item.names.a)", 100), repeated("has(item.names.name1)", 100)]),
  },
  loops: {
    all: over(["item.numbers.all(n, true)", "item.many.all(n, n >= 0)", "item.names.all(n, n != '')"]),
    exists: over([
      "item.numbers.exists(n, n == -1)",
      "item.many.exists(n, true)",
      repeated("item.many.exists(n, true)", 20),
    ]),
    exists_one: over(["item.numbers.exists_one(n, n == 1)"]),
    map: over(["item.numbers.map(n, n).size() == 0", "item.numbers.map(n, n + 1).map(n, [n]).size() == 0"]),
    filter: over([
      "item.numbers.filter(n, true).size() == 0",
      "item.numbers.filter(n, n > 5).filter(n, false).size() == 0",
    ]),
    map_filter: over(["item.numbers.map(n, n > 1, n).size() == 0"]),
    nested: over([
      "item.numbers.all(a, item.numbers.all(b, a == b || true))",
      "[1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, item.numbers.all(f, a + b + c + d + e + f > 0))))))",
    ]),
    body: over([
      `item.numbers.all(n, ${repeated("item.short == 'us'", 100).replaceAll(" && ", " || ")})`,
      `item.numbers.all(n, ${Array.from({ length: 150 }, () => "item.missing").join(" || ")} || true)`,
      `item.numbers.all(n, [${"n,".repeat(500)}1].size() > 0)`,
    ]),
  },
  parts: {
    path: over([
      "item.short == ''",
      repeated("item.short == 'eu'", 150),
      `item${".a".repeat(50)} == 1`,
      `item.nested${"[0]".repeat(19)} == 1`,
    ]),
    missing: over([Array.from({ length: 200 }, () => "item.missing").join(" || ")]),
    logic: over([repeated("true", 400), repeated("!false", 400), repeated("(true ? true : false)", 150)]),
    list: over([`[${"1,".repeat(1_500)}1].size() == 0`, `[${"item.short,".repeat(300)}1].size() == 0`]),
    map: over([
      `{${numbers.slice(0, 500).map((n) => `${n}:1`)}}.size() == 0`,
      `{${numbers.slice(0, 400).map((n) => `'${n}':1`)}}.size() == 0`,
    ]),
    text: over([`'${"a".repeat(4_000)}' == ''`]),
  },
};

function over(sources: readonly string[]): Case[] {
  return sources.map((source) => ({ source, item }));
}

/** Texts for which a search takes long to see that they differ from a run of `x`. */
function parts(expression: (part: string) => string): string[] {
  const texts = ["y", "xy", "yx", "xxxxy", "yxxxx", "xxyxx", `${halfX}y`, `y${halfX}`, `${halfX}y${halfX}`];
  return [
    ...texts.map((text) => expression(`'${text}'`)),
    expression("item.halfX + 'y'"),
    expression("item.x"),
  ];
}

function repeated(term: string, times: number): string {
  return Array.from({ length: times }, () => term).join(" && ");
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}
