import test from "ava";
import { handleOf, type Refusal, type RefusalError, refuse } from "#base";
import type { Asker } from "#runtime";
import { startModules } from "../../../../test/support/modules.ts";
import { orchestrate } from "../../../../test/support/orchestrate.ts";
import type { CallContext } from "../../../module.ts";
import { pools } from "../../index.ts";

type Message = Record<string, unknown>;

test("a rule redirects an item to another pool, and a retry with the same key finds it there", async (t) => {
  const { call, createQueue, inPool, inQueue } = await startModules(t);
  const from = await createQueue();
  const to = await createQueue();
  await inPool(from.poolId, "RuleService.CreateRule", {
    name: "away",
    order: 1,
    enabled: true,
    condition: "item.key == 'away'",
    action: { redirect: { pool_id: to.poolId } },
  });
  const request = { pool_id: from.poolId, key: "away" };
  const first = (await call("QueueService.Enqueue", request, "k1")) as { item: Message };
  t.is(first.item.pool_id, to.poolId);
  const again = (await call("QueueService.Enqueue", request, "k1")) as { item: Message };
  t.is(again.item.id, first.item.id);
  const { results } = (await call("QueueService.EnqueueBatch", {
    pool_id: from.poolId,
    items: [{ key: "stays" }, { key: "away" }],
  })) as { results: { index: number; item: Message }[] };
  t.deepEqual(
    results.map(({ index, item }) => [index, item.pool_id]),
    [
      [0, from.poolId],
      [1, to.poolId],
    ],
  );
  t.is((await inQueue(to.poolId, "QueueControlService.GetQueueStatus")).depth, 2);
  await inPool(to.poolId, "PoolService.DeletePool", { force: true });
  t.like(await call("QueueService.Enqueue", request), {
    code: "FAILED_PRECONDITION",
    reason: "REDIRECT_TARGET_MISSING",
  });
});

test("a preview tells what becomes of an item in the pool that rules send it to, and leaves nothing in any", async (t) => {
  const { call, createQueue, inPool, inQueue } = await startModules(t);
  const from = await createQueue();
  const over = await createQueue();
  const to = await createQueue({ admission: { debounce: { key: "item.key", period_ms: 60_000 } } });
  const redirect = (poolId: string, pool_id: string) =>
    inPool(poolId, "RuleService.CreateRule", { name: "away", action: { redirect: { pool_id } } });
  await redirect(from.poolId, over.poolId);
  await redirect(over.poolId, to.poolId);
  const request = { pool_id: from.poolId, key: "k", payload: { n: 1 } };
  const preview = () => call("AdmissionService.PreviewAdmission", request);
  const enqueue = () => call("QueueService.Enqueue", request);
  t.like(await preview(), {
    item: { pool_id: to.poolId, state: "scheduled", payload: { n: 1 } },
    admission: { outcome: "enqueued" },
    explanation: { status: "held", reason: "debounce", redirect_pool_id: to.poolId },
  });
  for (const { poolId } of [from, over, to])
    t.is((await inQueue(poolId, "QueueControlService.GetQueueStatus")).depth, 0);
  const { item } = (await enqueue()) as { item: Message };
  const seen = await preview();
  t.like(seen, { admission: { outcome: "debounced", existing_item_id: item.id as string } });
  t.deepEqual(seen.admission, (await enqueue()).admission);
});

test("a preview is refused where rules would refuse the enqueue: for a loop, and for a pool that is gone", async (t) => {
  const { call, createQueue, inPool } = await startModules(t);
  const [{ poolId }, back, gone] = [await createQueue(), await createQueue(), await createQueue()];
  const redirect = (from: string, condition: string, pool_id: string) =>
    inPool(from, "RuleService.CreateRule", { name: "r", condition, action: { redirect: { pool_id } } });
  await redirect(poolId, "item.key == 'gone'", gone.poolId);
  await redirect(poolId, "true", back.poolId);
  await redirect(back.poolId, "true", poolId);
  await inPool(gone.poolId, "PoolService.DeletePool");
  for (const method of ["QueueService.Enqueue", "AdmissionService.PreviewAdmission"]) {
    const refused = { code: "FAILED_PRECONDITION" };
    t.like(await call(method, { pool_id: poolId }), { ...refused, reason: "REDIRECT_LOOP" }, method);
    const request = { pool_id: poolId, key: "gone" };
    t.like(await call(method, request), { ...refused, reason: "REDIRECT_TARGET_MISSING" }, method);
  }
});

test("with a key, entries of a batch that come to one pool by different ways are each enqueued there, once", async (t) => {
  const { call, createQueue, inPool, inQueue } = await startModules(t);
  const [from, left, right, to] = [
    await createQueue(),
    await createQueue(),
    await createQueue(),
    await createQueue(),
  ];
  const redirect = (poolId: string, condition: string, pool_id: string) =>
    inPool(poolId, "RuleService.CreateRule", { name: "r", condition, action: { redirect: { pool_id } } });
  await redirect(from.poolId, "item.key == 'left'", left.poolId);
  await redirect(from.poolId, "item.key == 'right'", right.poolId);
  await redirect(from.poolId, "item.key == 'straight'", to.poolId);
  for (const { poolId } of [left, right]) await redirect(poolId, "true", to.poolId);
  const items = ["left", "right", "straight", "right"].map((key) => ({ key }));
  const request = { pool_id: from.poolId, items };
  const enqueue = async () =>
    ((await call("QueueService.EnqueueBatch", request, "k1")) as { results: { item: Message }[] }).results;
  const first = await enqueue();
  t.deepEqual(
    first.map(({ item }) => item.key),
    ["left", "right", "straight", "right"],
  );
  t.deepEqual(await enqueue(), first);
  t.is((await inQueue(to.poolId, "QueueControlService.GetQueueStatus")).depth, 4);
});

test("a batch answers each entry by itself, also where there is only one", async (t) => {
  const { call, createQueue } = await startModules(t);
  const { poolId } = await createQueue({ priority: { bands: 2 } });
  const bad = { priority: 5 };
  for (const items of [[bad], [bad, {}]]) {
    const answer = await call("QueueService.EnqueueBatch", { pool_id: poolId, items });
    t.like((answer.results as Message[])[0], { index: 0, error: { error_code: "INVALID_ARGUMENT" } });
    t.is((answer.results as Message[]).length, items.length);
  }
  t.like(await call("QueueService.Enqueue", { pool_id: poolId, ...bad }), { code: "INVALID_ARGUMENT" });
  const nowhere = { pool_id: "01JVVVVVVVVVVVVVVVVVVVVVVV", items: [{}] };
  t.like(await call("QueueService.EnqueueBatch", nowhere), { code: "NOT_FOUND" });
});

test("a redirect into another environment is refused as that, whether the caller names its own or not", async (t) => {
  const { context, createQueue, inPool } = await startModules(t);
  const { poolId } = await createQueue();
  const staging = await createQueue({}, "staging");
  const rule = { name: "away", action: { redirect: { pool_id: staging.poolId } } };
  await inPool(poolId, "RuleService.CreateRule", rule);
  const refused = { code: "FAILED_PRECONDITION", reason: "REDIRECT_ENVIRONMENT" };
  for (const environment of [undefined, "production"]) {
    const given = context();
    const call = { ...given, caller: { ...given.caller, ...(environment && { environment }) } };
    const enqueueOne = pools.orchestrations!["QueueService.Enqueue"]!;
    const enqueueBatch = pools.orchestrations!["QueueService.EnqueueBatch"]!;
    const { refusal } = (await t.throwsAsync(
      orchestrate(enqueueOne, { pool_id: poolId }, call),
    )) as RefusalError;
    t.like(refusal, refused);
    const { results } = (await orchestrate(enqueueBatch, { pool_id: poolId, items: [{}] }, call)) as {
      results: { error: Message }[];
    };
    t.like(results[0]!.error, { error_code: refused.code, reason: refused.reason });
    const route = pools.orchestrations!["RoutingService.Route"]!;
    const routed = orchestrate(route, { pool_id: poolId }, call);
    t.like(((await t.throwsAsync(routed)) as RefusalError).refusal, refused);
  }
});

test("queues are listed with their figures, paused ones by themselves", async (t) => {
  const { call, createQueue, inQueue } = await startModules(t);
  const one = await createQueue();
  await createQueue();
  await call("QueueService.Enqueue", { pool_id: one.poolId });
  await inQueue(one.poolId, "QueueControlService.PauseQueue", { reason: "r" });
  const all = (await call("QueueControlService.ListQueues", {})) as { queues: Message[]; total: number };
  t.is(all.total, 2);
  t.deepEqual(all.queues.map(({ depth }) => depth).sort(), [0, 1]);
  const paused = (await call("QueueControlService.ListQueues", { paused_only: true })) as {
    queues: Message[];
  };
  t.deepEqual(
    paused.queues.map(({ pool_id }) => pool_id),
    [one.poolId],
  );
  t.like(await call("QueueControlService.ListQueues", { tenant_id: "other" }), { code: "PERMISSION_DENIED" });
});

test("lists over many pools go on without one that cannot answer, and name it; what is no matter of one pool refuses them", async (t) => {
  const { context, call, createQueue, runtime } = await startModules(t);
  const config = { admission: { singleton: { key: "item.key", mode: "skip" } } };
  const made = [await createQueue(config), await createQueue(config), await createQueue(config)];
  const [first, broken, last] = made.map(({ poolId }) => poolId).sort() as [string, string, string];
  for (const { poolId } of made) await call("QueueService.Enqueue", { pool_id: poolId, key: "k" });
  const without = (refusal: Refusal): CallContext => {
    const ask: Asker["ask"] = async (asked) =>
      asked.to.kind !== "directory" && asked.to.key === handleOf(broken) ? refusal : runtime.ask(asked);
    return { ...context(), asker: { ...runtime, ask } };
  };
  const isolated = refuse("UNAVAILABLE", "isolated for now", { reason: "ENTITY_ISOLATED", retryAfterMs: 1 });
  const error = {
    error_code: "UNAVAILABLE",
    detail: "isolated for now",
    reason: "ENTITY_ISOLATED",
    retryable: true,
    retry_after_ms: 1,
    errors: [],
  };
  const lists = {
    "QueueControlService.ListQueues": ["queues", "pool_id"],
    "AdmissionService.ListAdmissionGroups": ["admission_groups", "pool_id"],
    "PoolService.ListPools": ["pools", "id"],
  } as const;
  for (const [method, [items, id]] of Object.entries(lists)) {
    const list = pools.orchestrations![method]!;
    const page = (await orchestrate(list, { page_size: 10 }, without(isolated))) as Record<string, Message[]>;
    t.deepEqual(
      page[items]!.map((one) => one[id]),
      [first, last],
      method,
    );
    t.deepEqual(page.unavailable, [{ pool_id: broken, name: "p", error }], method);
    const denied = orchestrate(list, {}, without(refuse("PERMISSION_DENIED", "no")));
    t.is(((await t.throwsAsync(denied)) as RefusalError).refusal.code, "PERMISSION_DENIED");
  }
});

test("drain and purge go on until they have done what was asked", async (t) => {
  const { call, createQueue, inQueue } = await startModules(t);
  const { poolId } = await createQueue();
  for (let i = 0; i < 3; i++)
    await call("QueueService.EnqueueBatch", {
      pool_id: poolId,
      items: Array.from({ length: 500 }, () => ({})),
    });
  t.like(await call("QueueControlService.DrainQueue", { pool_id: poolId, max_items: 1_300 }), {
    drained: 1_300,
    remaining_depth: 200,
  });
  t.is((await inQueue(poolId, "QueueControlService.GetQueueStatus")).depth, 200);
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId, older_than: "72h" }), { purged: 0 });
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId, older_than: "soon" }), {
    code: "INVALID_ARGUMENT",
  });
});

test("admission groups are listed pool by pool", async (t) => {
  const { call, createQueue } = await startModules(t);
  const config = { admission: { singleton: { key: "item.key", mode: "skip" } } };
  const one = await createQueue(config);
  const two = await createQueue(config);
  for (const { poolId } of [one, two])
    for (const key of ["a", "b", "c"]) await call("QueueService.Enqueue", { pool_id: poolId, key });
  const seen: unknown[] = [];
  let page_token = "";
  do {
    const page = (await call("AdmissionService.ListAdmissionGroups", { page_size: 2, page_token })) as {
      admission_groups: Message[];
      next_page_token: string;
    };
    seen.push(...page.admission_groups.map(({ pool_id, group_id }) => `${pool_id}/${group_id}`));
    page_token = page.next_page_token;
  } while (page_token !== "");
  t.is(new Set(seen).size, 6);
  t.is(seen.length, 6);
  const all = { status: "active" };
  const beyond = await call("AdmissionService.ListAdmissionGroups", { ...all, offset: 4 });
  t.deepEqual(
    (beyond.admission_groups as Message[]).map(({ pool_id, group_id }) => `${pool_id}/${group_id}`),
    seen.slice(4),
  );
  const counts = ["production", "staging"].map(async (environment) => {
    const page = await call("AdmissionService.ListAdmissionGroups", { pool_id: one.poolId, environment });
    return (page.admission_groups as Message[]).length;
  });
  t.deepEqual(await Promise.all(counts), [3, 0]);
  t.like(await call("AdmissionService.ListAdmissionGroups", { offset: 10_001 }), {
    code: "INVALID_ARGUMENT",
  });
  t.like(await call("AdmissionService.ListAdmissionGroups", { page_token: "x" }), {
    code: "INVALID_ARGUMENT",
  });
});
