import { createServer } from "node:http";
import anyTest, { type TestFn } from "ava";
import { ItemFailed, PermanentError, Switchyard, SwitchyardError } from "#sdk";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";
import { items, progress } from "./handlers.ts";

const test = anyTest as TestFn<{ service: RunningService; sy: Switchyard; url: string }>;
const cleanups: (() => void | Promise<void>)[] = [];

test.before(async (t) => {
  t.context.service = await startDev({ teardown: (cleanup) => void cleanups.push(cleanup) });
  t.context.url = `http://127.0.0.1:${t.context.service.ports.http}`;
  t.context.sy = new Switchyard({ url: t.context.url });
});
test.after.always(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test("a pool is created, read, changed by a merge patch and deleted", async (t) => {
  const { sy } = t.context;
  const made = await sy.pools.create({ name: "changed", description: "old" });
  t.is((await sy.pools.get({ pool_id: made.id })).name, "changed");
  const updated = await sy.pools.update({
    pool_id: made.id,
    description: null,
    config: { lease_seconds: 7 },
  });
  t.is(updated.description, "");
  t.is(updated.config?.lease_seconds, 7);
  t.true((await sy.pools.delete({ pool_id: made.id, force: true })).deleted);
});

test("a list goes through all of its pages", async (t) => {
  const { sy } = t.context;
  const pool = await sy.pools.create({ name: "many" });
  const items = Array.from({ length: 25 }, (_, index) => ({ key: `key-${index}` }));
  await sy.items.enqueueBatch({ pool_id: pool.id, items });
  const keys: string[] = [];
  for await (const item of sy.items.list({ pool_id: pool.id, limit: 10 })) keys.push(item.key);
  t.deepEqual(
    keys,
    items.map(({ key }) => key),
  );
  const page = await sy.items.list({ pool_id: pool.id, limit: 10, offset: 20 }).page();
  t.is(page.data.length, 5);
  t.is(page.next_cursor, null);
  const ready = sy.items.list({ pool_id: pool.id, states: ["completed", "dead"] });
  t.is((await ready.page()).data.length, 0);
});

test("a refusal is a SwitchyardError with what the server says", async (t) => {
  const { sy } = t.context;
  const error = await t.throwsAsync(sy.pools.create({ name: "" }), { instanceOf: SwitchyardError });
  t.is(error.code, "INVALID_ARGUMENT");
  t.is(error.status, 400);
  t.deepEqual(
    error.fields.map(({ field }) => field),
    ["name"],
  );
  t.truthy(error.requestId);
  const missing = await t.throwsAsync(sy.pools.get({ pool_id: "01J9ZC5T8N4W0QK7V3M2B6XH1D" }));
  t.true(missing instanceof SwitchyardError && missing.code === "NOT_FOUND");
});

test("the same key is the same request", async (t) => {
  const { sy } = t.context;
  const [one, two] = [
    await sy.pools.create({ name: "once" }, { idempotencyKey: "pool-once" }),
    await sy.pools.create({ name: "once" }, { idempotencyKey: "pool-once" }),
  ];
  t.is(one.id, two.id);
});

test("a lost answer is asked for again with the same key; a method without one is sent once", async (t) => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]?.toString());
    if (keys.length < 3 && request.url !== "/api/pools/once") request.socket.destroy();
    else if (keys.length === 3) {
      response.writeHead(503, { "content-type": "application/problem+json" });
      response.end(
        JSON.stringify({ errorCode: "UNAVAILABLE", retryable: true, retry_after_ms: 5, detail: "not now" }),
      );
    } else response.end(JSON.stringify({ data: { id: "made" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const sy = new Switchyard({ url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` });
  t.is((await sy.pools.create({ name: "lost" })).id, "made");
  t.is(keys.length, 4);
  t.truthy(keys[0]);
  t.is(new Set(keys).size, 1);
});

test("a call that its caller aborts, and one that is out of time, say so", async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const address = silent.address();
  const sy = new Switchyard({ url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` });
  const late = await t.throwsAsync(sy.pools.list({}, { timeoutMs: 50 }).page(), {
    instanceOf: SwitchyardError,
  });
  t.is(late.code, "TIMEOUT");
  const abort = new AbortController();
  const call = sy.pools.get({ pool_id: "x" }, { signal: abort.signal });
  abort.abort();
  t.is((await t.throwsAsync(call, { instanceOf: SwitchyardError })).code, "CANCELLED");
});

test("a worker handles every item of its pool and settles it by what its handler does", async (t) => {
  const { sy } = t.context;
  const pool = await sy.pools.create({ name: "work", config: { max_attempts: 1 } });
  const ids = new Map<string, string>();
  for (const key of Object.keys(items)) {
    const { item } = await sy.items.enqueue({ pool_id: pool.id, key });
    ids.set(key, item!.id);
  }
  const worker = sy.worker(pool.id, (item) => items[item.key]!.handle(), { signals: false });
  for (const [key, id] of ids)
    await eventually(`${key} is settled`, async () => {
      const item = await sy.items.get({ pool_id: pool.id, queue_item_id: id });
      const state: string = item.state;
      if (state === "ready" || state === "leased") return undefined;
      t.is(state, items[key]!.state, key);
      t.deepEqual(item.result, items[key]!.result, key);
      if (items[key]!.type !== undefined) t.is(item.last_error?.type, items[key]!.type, key);
      return true;
    });
  await worker.stop();
});

test("given progress that cannot be sent, then what is left of it is shown, and neither this item nor another is harmed", async (t) => {
  const { sy } = t.context;
  const { id: pool_id } = await sy.pools.create({ name: "told", config: { max_attempts: 1 } });
  for (const key of Object.keys(progress)) await sy.items.enqueue({ pool_id, key });
  const told: (string | undefined)[] = [];
  const worker = sy.worker(
    pool_id,
    async (item, context) => {
      context.progress(progress[item.key]!.said);
      return await eventually(`${item.key} is shown`, async () => {
        const now = await sy.items.get({ pool_id, queue_item_id: item.id });
        return now.lease?.progress;
      });
    },
    { signals: false, concurrency: 100, onError: (_, item) => told.push(item?.key) },
  );
  await eventually("all are completed", async () => {
    const { by_state } = await sy.queues.status({ pool_id });
    return by_state?.completed === Object.keys(progress).length || undefined;
  });
  for await (const { key, result } of sy.items.list({ pool_id }))
    t.like(result, progress[key]!.shown as object, key);
  t.deepEqual(told.sort(), ["a circle", "a function", "data that are too deep", "data that are too large"]);
  await worker.stop();
});

test("given a length that no lease may have, when a handler asks for it, then it is told at once", async (t) => {
  const { sy } = t.context;
  const { id: pool_id } = await sy.pools.create({ name: "longer" });
  const worker = sy.worker(
    pool_id,
    async (_, { extend }) => {
      for (const seconds of [-5, 0.5, 43_201])
        await t.throwsAsync(extend(seconds), { message: /1 to 43200/ });
      await extend(43_200);
    },
    { signals: false },
  );
  const { state } = await sy.enqueueAndWait({ pool_id });
  t.is(state, "completed");
  await worker.stop();
});

test("enqueueAndWait resolves with the completed item, and throws where it ends in another way or too late", async (t) => {
  const { sy } = t.context;
  const { id: pool_id } = await sy.pools.create({ name: "replies" });
  const late = sy.enqueueAndWait({ pool_id }, { timeoutMs: 300 });
  t.is((await t.throwsAsync(late, { instanceOf: SwitchyardError })).code, "TIMEOUT");
  const handler = ({ key }: { readonly key: string }) => {
    if (key === "bad") throw new PermanentError("cannot");
    return { reply: key };
  };
  const worker = sy.worker(pool_id, handler, { signals: false });
  const item = await sy.enqueueAndWait({ pool_id, key: "good" });
  t.deepEqual([item.state, item.result], ["completed", { reply: "good" }]);
  const failed = await t.throwsAsync(sy.enqueueAndWait({ pool_id, key: "bad" }), { instanceOf: ItemFailed });
  t.deepEqual([failed.reason, failed.item.last_error?.message], ["DEAD", "cannot"]);
  await worker.stop();
});

test("watch tells all pools at first, then those that have changed", async (t) => {
  const { sy } = t.context;
  const pools = [await sy.pools.create({ name: "watched" }), await sy.pools.create({ name: "quiet" })];
  const depths: (readonly [string, number | undefined])[][] = [];
  for await (const { pools: live } of sy.watch(
    pools.map(({ id }) => id),
    { interval_ms: 500 },
  )) {
    depths.push((live?.pools ?? []).map(({ pool_id, queue }) => [pool_id, queue?.depth]));
    if (depths.length === 1) await sy.items.enqueue({ pool_id: pools[0]!.id, key: "one" });
    if (depths.at(-1)!.some(([, depth]) => depth === 1)) break;
  }
  t.deepEqual(depths[0]!.map(([id]) => id).sort(), pools.map(({ id }) => id).sort());
  t.false(
    depths
      .slice(1)
      .flat()
      .some(([id]) => id === pools[1]!.id),
  );
});
