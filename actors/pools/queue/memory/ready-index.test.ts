import test from "ava";
import { limits } from "#base";
import type { Context, StoredRow } from "#runtime";
import { type Item, noGroups } from "../rows/item.ts";
import { fromRow, toRow } from "../rows/item-row.ts";
import { BodyCache } from "./body-cache.ts";
import { ReadyIndex } from "./ready-index.ts";

test("lists of recipients that are gone do not pile up, and an item in one is still found", (t) => {
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

test("rows of the line are read when they are looked at, with their payloads", (t) => {
  const bodies = new BodyCache();
  const index = new ReadyIndex(bodies);
  index.forget();
  const read: string[] = [];
  const rows = [1, 2, 3].map((order): StoredRow => {
    const item = { ...fromRow([`item-${order}`, 0, 1, 1, 6]), order, groups: noGroups };
    return {
      collection: "ready",
      key: [],
      get value() {
        read.push(item.id);
        return toRow(item, { payload: item.id, attributes: {} });
      },
    };
  });
  t.true(index.load("c0", 1, 1, { range: () => rows } as unknown as Context));
  t.deepEqual(read, ["item-3"], "how far the line is in memory");
  const line = index.window("c0", 1);
  t.deepEqual([line.at(0)?.id, line.at(1)?.id, line.at(1)?.id], ["item-1", "item-2", "item-2"]);
  t.deepEqual(read, ["item-3", "item-1", "item-2", "item-3"]);
  t.deepEqual(bodies.get("item-2"), { payload: "item-2", attributes: {} });
});
