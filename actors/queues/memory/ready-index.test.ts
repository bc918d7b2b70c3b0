import test from "ava";
import { limits } from "#base";
import type { Item } from "../rows/item.ts";
import { BodyCache } from "./body-cache.ts";
import { ReadyIndex } from "./ready-index.ts";

test("lists of recipients that are gone do not pile up, and whoever stands in one is still found", (t) => {
  const index = new ReadyIndex(new BodyCache());
  const item = { id: "i", list: "r0", band: 2, tag: 0, order: 1 } as Item;
  t.true(index.insert(item));
  for (let i = 0; i < limits.queueListsMax * 3; i++) index.window(`r${i}`, 1);
  t.true(index.size <= limits.queueListsMax, `${index.size} lists`);
  t.is(index.window("r0", 2).at(0), item);
  t.is(index.find("i"), item);
  t.true(index.window("r1", 1).complete, "nobody was ever in it");
});

test("a list whose rows are not all in memory is not taken for an empty one", (t) => {
  const index = new ReadyIndex(new BodyCache());
  index.window("r0", 1).complete = false;
  for (let i = 0; i < limits.queueListsMax * 2; i++) index.window(`r${i}`, 1);
  t.false(index.window("r0", 1).complete);
  index.forget();
  for (let i = 0; i < limits.queueListsMax * 2; i++) index.window(`r${i}`, 1);
  t.true(index.size <= limits.queueListsMax, `${index.size} lists`);
  t.false(index.window("r0", 1).complete);
});
