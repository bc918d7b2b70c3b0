import test from "ava";
import { Slots } from "./slots.ts";

test("a number names its value until it is taken, then another one", (t) => {
  const slots = new Slots<string>();
  const a = slots.add("a");
  const b = slots.add("b");
  t.deepEqual([a, b, slots.size], [1, 2, 2]);
  t.is(slots.take(a), "a");
  t.is(slots.take(a), undefined);
  t.deepEqual([slots.get(a), slots.get(b), slots.size], [undefined, "b", 1]);
  t.is(slots.add("c"), a);
  t.is(slots.get(a), "c");
  t.deepEqual(slots.takeAll().sort(), ["b", "c"]);
  t.deepEqual([slots.size, slots.get(a), slots.add("d")], [0, undefined, 1]);
});
