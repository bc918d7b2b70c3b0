import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import test from "ava";
import { limits, type Refusal } from "#base";
import { fullBudget } from "../../../cel/command-budget.ts";
import type { PoolConfig } from "../../pool-config.ts";
import { keysOf } from "./keys.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const config = { admission: { singleton: { key: "item.key" }, concurrency: [] } } as unknown as PoolConfig;
const scope = { tenant: "t", now: 0, secret: "s", commandBudget: fullBudget() };

function groupOf(key: string): string {
  const keys = keysOf(config, { key, payload: null, attributes: {}, priority: 1, cost: 1 }, scope);
  return "groups" in keys ? keys.groups.singleton : "";
}

test("the same key has the same group, however long it is", (t) => {
  for (const length of [1, 256, 257, 200_000]) {
    const key = "k".repeat(length);
    t.regex(groupOf(key), /^g_[0-9a-f]{32}$/);
    t.is(groupOf(key), groupOf(key));
    t.not(groupOf(key), groupOf(`${key}k`));
  }
});

test("keys without end are not all kept, and keep their groups", (t) => {
  const first = groupOf("first");
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 6 * limits.queueGroupsHotMax; i++) groupOf(`${i}`.padEnd(200, "x"));
  t.is(groupOf("first"), first);
  collect();
  t.true(process.memoryUsage().heapUsed - before < 40_000_000, "80 MB of keys and ids went by");
});

test("the text of a long key is not kept", (t) => {
  groupOf("first");
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200; i++) groupOf(`${i}`.padEnd(200_000, "x"));
  collect();
  t.true(process.memoryUsage().heapUsed - before < 20_000_000, "40 MB of keys went by");
});

test("groups that are kept with a key are those of the item's own cost and of the configuration it meets", (t) => {
  const controls = (limit: number, more: object = {}) =>
    ({
      admission: {
        singleton: { key: "item.key" },
        throttle: { key: "item.key" },
        concurrency: [{ key: "item.key", limit }],
        ...more,
      },
    }) as unknown as PoolConfig;
  const groupsOf = (by: PoolConfig, cost: number) => {
    const keys = keysOf(by, { key: "shared", payload: null, attributes: {}, priority: 1, cost }, scope);
    return "groups" in keys ? keys.groups : undefined;
  };
  const id = groupOf("shared");
  const shared = controls(5);
  const usual = { singleton: id, debounce: "", throttle: id, concurrency: [{ id, control: 0, cost: 1 }] };
  t.deepEqual(groupsOf(shared, 1), usual);
  t.is(groupsOf(shared, 1), groupsOf(shared, 1));
  t.deepEqual(groupsOf(shared, 9)!.concurrency, [{ id, control: 0, cost: 5 }]);
  t.deepEqual(groupsOf(shared, 1), usual);
  t.deepEqual(groupsOf(controls(5, { throttle: undefined }), 1), { ...usual, throttle: "" });
  const numbered = groupsOf(controls(5, { concurrency: [{ key: "item.key", limit: 5, no: 3 }] }), 1)!;
  t.like(numbered.concurrency[0], { control: 3, cost: 1 });
  t.not(numbered.concurrency[0]!.id, id);
  const apart = groupsOf(controls(5, { debounce: { key: "item.priority" } }), 1)!;
  t.like(apart, { singleton: id, throttle: id });
  t.not(apart.debounce, id);
});

test("a key expression fails for an item: the refusal names every setting that has it", (t) => {
  const failing = {
    admission: {
      singleton: { key: "item.attributes.customer" },
      debounce: { key: "item.key" },
      concurrency: [{ limit: 1 }, { key: "item.attributes.customer", limit: 2 }],
    },
    sticky: { key: "item.attributes.region" },
  } as unknown as PoolConfig;
  const refusal = keysOf(failing, { key: "k", attributes: {}, cost: 1 }, scope) as Refusal;
  t.is(refusal.code, "INVALID_ARGUMENT");
  t.regex(
    refusal.detail,
    /^config\.admission\.singleton\.key, .*: item\.attributes\.customer fails for this item: /,
  );
  t.deepEqual(
    refusal.fields?.map(({ field }) => field),
    ["config.admission.singleton.key", "config.admission.concurrency[1].key"],
  );
});
