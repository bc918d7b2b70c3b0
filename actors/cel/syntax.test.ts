import { parse } from "@bufbuild/cel";
import test from "ava";
import { problemsOf } from "./cel.ts";
import { syntaxProblem } from "./syntax.ts";

const cases: readonly (readonly [string, number, number, string])[] = [
  ["item.key == ", 1, 12, "a value is missing after =="],
  ['item.key == "a" &&', 1, 19, "a value is missing after &&"],
  ["item.key ==\n  (1 +", 2, 7, "a value is missing after +"],
  ['item.key == "a" && (item.cost > 1', 1, 20, "this ( is never closed"],
  ['item.key = "a"', 1, 10, "= is nothing that an expression has: write =="],
  ['item.key == "a', 1, 13, "this text has no end"],
  ["item.key in ['a', 'b'", 1, 13, "this [ is never closed"],
  ['item.attributes["x" == 1', 1, 16, "this [ is never closed"],
  ['item.cost > 1 and item.key == "x"', 1, 15, "an operator is missing before and: write &&"],
  ["(item.cost > 1))", 1, 16, "there is no ( for this )"],
  ["[item.cost)", 1, 11, ") does not close ["],
  ["item.cost > > 1", 1, 13, "a value is missing before >"],
  ["f(1, , 2)", 1, 6, "a value is missing before ,"],
  ["(item.cost > )", 1, 14, "a value is missing before )"],
  ["item.cost > 1, true", 1, 14, "a comma stands between brackets only"],
  ["item.key == 'é' # x", 1, 17, "# is nothing that an expression has"],
];

for (const [source, line, column, reason] of cases)
  test(`a mistake is told where it is: ${JSON.stringify(source)}`, (t) => {
    t.deepEqual(problemsOf(source, "condition"), [{ line, column, reason }]);
  });

test("nothing is found in what the parser takes", (t) => {
  for (const source of [
    "item.key in ['a', \"b\",] && !(-1 < 2) ? {'a': 1}.a == 1 : [].size() == // and so on = ?\n 0",
    "r'\\' == b\"x\" || '''it's''' != \"\"\"say \\\"\"\"\" || 0x1F == 1.5e-3 || .5 > 2u",
    "item.attributes.a == item.attributes['c'].all(x, x > 1 && x in [1])",
  ]) {
    t.notThrows(() => parse(source), source);
    t.is(syntaxProblem(source), undefined, source);
  }
});
