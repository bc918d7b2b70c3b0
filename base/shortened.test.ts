import test from "ava";
import { shortened } from "./shortened.ts";

test("a text that is cut ends between two characters, never within one", (t) => {
  t.is(shortened("abc", 3), "abc");
  t.is(shortened("abcd", 3), "ab…");
  t.is(shortened("a😀b", 4), "a😀b");
  t.is(shortened("a😀bc", 4), "a😀…");
  t.is(shortened("a😀bc", 3), "a…");
});
