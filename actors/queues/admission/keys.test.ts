import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import test from "ava";
import { limits } from "#base";
import { fullPurse } from "../../shared/cel-purse.ts";
import type { PoolConfig } from "../../shared/pool-config.ts";
import { keysOf } from "./keys.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const config = { admission: { singleton: { key: "item.key" }, concurrency: [] } } as unknown as PoolConfig;
const scope = { tenant: "t", now: 0, secret: "s", purse: fullPurse() };

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
