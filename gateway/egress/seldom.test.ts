import test from "ava";
import { limits } from "#base";
import { Seldom } from "./seldom.ts";

test("given a warning that was told, when it comes again within a minute, then it is not told; another one is, and both are later", (t) => {
  const seldom = new Seldom();
  t.true(seldom.isDue("a", 0));
  t.false(seldom.isDue("a", limits.egressWarningMs - 1));
  t.true(seldom.isDue("b", 1));
  t.true(seldom.isDue("a", limits.egressWarningMs));
});

test("given more kinds of warnings than are remembered, when the first comes again, then it is told anew", (t) => {
  const seldom = new Seldom();
  for (let n = 0; n <= limits.egressWarningsMax; n++) t.true(seldom.isDue(`host ${n}`, 0));
  t.true(seldom.isDue("host 0", 0));
  t.false(seldom.isDue(`host ${limits.egressWarningsMax}`, 0));
});
