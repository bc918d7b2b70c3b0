import test from "ava";
import { didYouMean, nearest } from "./nearest.ts";

test("given a name with a slip, when it is looked for, then the nearest name is found within a quarter of its letters", (t) => {
  const names = ["pools", "recipients", "queues", "promotions"];
  t.is(nearest("pool", names), "pools");
  t.is(nearest("opols", names), "pools", "neighbours that changed places are one change");
  t.is(nearest("recpients", names), "recipients");
  t.is(nearest("promtion", names), "promotions");
  t.is(nearest("frobnicate", names), undefined);
  t.is(nearest("x", ["y"]), "y");
  t.is(nearest("abcd", ["wxcd"]), undefined, "two changes of four letters are too many");
  t.is(nearest("a".repeat(40), ["b".repeat(4) + "a".repeat(36)]), undefined, "never more than three");
  t.is(nearest("pools", ["pools"]), undefined, "what is there already is not a hint");
});

test("given two names that are equally near, when one is looked for, then the first is named", (t) => {
  t.is(nearest("cat", ["car", "can"]), "car");
  t.is(nearest("", ["a"]), undefined);
});

test("given a value, the question names the nearest one; given another type or nothing near, there is none", (t) => {
  t.is(didYouMean("stagng", ["production", "staging"]), "; did you mean staging?");
  t.is(didYouMean("other", ["production", "staging"]), "");
  t.is(didYouMean(7, ["6"]), "");
});
