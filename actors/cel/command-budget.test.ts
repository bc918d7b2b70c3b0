import test from "ava";
import { handleOf, limits } from "#base";
import { startModules } from "../../test/support/modules.ts";
import { PoolBench } from "../../test/support/pool.ts";
import { QueueBench } from "../../test/support/queue.ts";
import { packRoute } from "../pools/router/wire.ts";
import { compile } from "./cel.ts";

type Message = Record<string, unknown>;

/** As many steps as an item may take: five rules that each end only because they have had enough. */
const condition = "item.attributes.a.all(x, item.attributes.a.all(y, x == x && y == y))";
const rules = Array.from({ length: limits.celItemStepsMax / limits.celStepsMax }, (_, index) => ({
  name: `r${index}`,
  condition,
  action: { set_priority: { priority: 1 } },
}));
const costly = { attributes: { a: Array.from({ length: 60 }, (_, index) => index) } };
/** Entries of one command: the last one begins with a few steps left. */
const enough = Math.ceil(limits.commandStepsMax / limits.celItemStepsMax);
const batch = Array.from({ length: 3 * enough + 1 }, (_, index) => ({ ...costly, key: `k${index}` }));

test("a command enqueues the first items of a batch that takes too much, and no more", (t) => {
  const bench = new QueueBench();
  for (const rule of rules) bench.pool("RuleService.CreateRule", rule);
  const { results } = bench.ask("QueueService.EnqueueBatch", { items: batch }) as { results: Message[] };
  t.is(results.length, enough);
  t.true(results.every(({ error }) => error === undefined));
});

test("a command decides the first routes of a batch that takes too much, and no more", (t) => {
  const bench = new PoolBench();
  bench.recipients([{}]);
  for (const rule of rules) bench.rule(rule);
  const results = bench.routes(batch) as readonly { readonly refusal?: object }[];
  t.is(results.length, enough);
  t.true(results.every(({ refusal }) => refusal === undefined));
});

test("what routes look at counts too: recipients, what is asked of them, and explanations", (t) => {
  const bench = new PoolBench();
  bench.recipients(
    Array.from({ length: 500 }, (_, index) => ({ labels: { region: index % 2 ? "eu" : "us" } })),
  );
  const decided = (route: Message, explained = 0) =>
    (
      bench.routes(
        Array.from({ length: limits.routeBatchMax }, () => route),
        { explained },
      ) as unknown[]
    ).length;
  const plain = decided({});
  const labelled = decided({ required_labels: { region: "eu" } });
  const explained = decided({ explain: true }, 500);
  t.true(
    plain < limits.routeBatchMax && labelled < plain && explained < labelled,
    `${[plain, labelled, explained]}`,
  );
  t.true(explained >= 1);
});

test("a batch that takes several commands is answered as a whole, and with a key it is applied once", async (t) => {
  const { createPool, inPool, inQueue, call } = await startModules(t);
  const pool = await createPool();
  for (const rule of rules) await inPool(pool, "RuleService.CreateRule", rule);
  const recipient = await inPool(pool, "RecipientService.CreateRecipient", { name: "x" });
  const routes = batch.map((route) => ({ ...route, reserve: true, reserve_seconds: 3_600 }));
  const routed = await call("RoutingService.RouteBatch", { pool_id: pool, routes }, "key-1");
  const keys = (routed.results as { index: number; routing: Message }[]).map(({ index, routing }) => [
    index,
    routing.key,
  ]);
  t.deepEqual(
    keys,
    batch.map(({ key }, index) => [index, key]),
  );
  t.deepEqual(await call("RoutingService.RouteBatch", { pool_id: pool, routes }, "key-1"), routed);
  const { in_flight } = await inPool(pool, "RecipientService.GetRecipient", { recipient_id: recipient.id });
  t.is(in_flight, batch.length);

  const enqueued = await call("QueueService.EnqueueBatch", { pool_id: pool, items: batch }, "key-2");
  const items = (enqueued.results as { index: number; item: Message }[]).map(({ index, item }) => [
    index,
    item.key,
  ]);
  t.deepEqual(
    items,
    batch.map(({ key }, index) => [index, key]),
  );
  t.deepEqual(await call("QueueService.EnqueueBatch", { pool_id: pool, items: batch }, "key-2"), enqueued);
  t.like(await inQueue(pool, "QueueControlService.GetQueueStatus"), { depth: batch.length });
});

test("a pool that comes back with more conditions than one command parses answers all the same", async (t) => {
  const before = await startModules(t);
  const pool = await before.createPool();
  const terms = Array.from({ length: 120 }, (_, index) => `item.key == 'no-${index}'`).join(" || ");
  for (let i = 0; i < 8; i++) {
    const rule = { name: `r${i}`, condition: `item.key == 'never-${i}' || ${terms}`, action: { reject: {} } };
    await before.inPool(pool, "RuleService.CreateRule", rule);
  }
  await before.inPool(pool, "RecipientService.CreateRecipient", { name: "x" });
  before.runtime.stop();
  for (const [method, request] of [
    ["RoutingService.Route", { key: "a" }],
    ["RoutingService.RouteBatch", { routes: [{ key: "a" }, { key: "b" }] }],
    ["QueueService.Enqueue", { key: "a" }],
    ["QueueService.EnqueueBatch", { items: [{ key: "a" }, { key: "b" }] }],
    ["AdmissionService.PreviewAdmission", { key: "a" }],
  ] as const) {
    const { call, ask, runtime } = await startModules(t, before.store);
    // A new process knows no expressions: others take their places in the cache.
    for (let i = 0; i < limits.celCacheMax; i++) compile(`${i} == 0`);
    const direct = [pool, [packRoute({ key: "a" }, 0)], false, [], "", true];
    const refusal = await ask("router", handleOf(pool), "router.Route", direct as never);
    t.like(refusal, { code: "UNAVAILABLE", reason: "CONDITIONS" }, "one command does not parse them all");
    t.is((await call(method, { pool_id: pool, ...request })).code, undefined, method);
    runtime.stop();
  }
});

test("entries that are redirected in several commands come to their places", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  const redirect = {
    name: "r",
    condition: "item.key == 'k1' || item.key == 'k8'",
    action: { redirect: { pool_id: second } },
  };
  await inPool(first, "RuleService.CreateRule", redirect);
  for (const rule of rules) await inPool(first, "RuleService.CreateRule", rule);
  for (const pool of [first, second]) await inPool(pool, "RecipientService.CreateRecipient", { name: "x" });
  const poolOf = ({ key }: Message) => (key === "k1" || key === "k8" ? second : first);
  const routed = await call("RoutingService.RouteBatch", { pool_id: first, routes: batch }, "key-1");
  t.deepEqual(
    (routed.results as { routing: Message }[]).map(({ routing }) => routing.pool_id),
    batch.map(poolOf),
  );
  const enqueued = await call("QueueService.EnqueueBatch", { pool_id: first, items: batch }, "key-2");
  t.deepEqual(
    (enqueued.results as { index: number; item: Message }[]).map(({ index, item }) => [index, item.pool_id]),
    batch.map((entry, index) => [index, poolOf(entry)]),
  );
});
