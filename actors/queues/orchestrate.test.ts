import test, { type ExecutionContext } from "ava";
import { handleOf, isRefusal, type Refusal, RefusalError, refuse } from "#base";
import { type Asker, startRuntime, systemWorld } from "#runtime";
import { MemoryStore, openMemory } from "../../storage/memory/index.ts";
import { testCaller } from "../../test/support/entity.ts";
import { tenant } from "../../test/support/pool.ts";
import { directory } from "../directory/index.ts";
import { events } from "../events/index.ts";
import type { CallContext } from "../module.ts";
import { pools } from "../pools/index.ts";
import { routing } from "../routing/index.ts";
import { sealCursor } from "../shared/cursor.ts";
import { queues } from "./index.ts";

type Message = Record<string, unknown>;

const definitions = [directory, pools, routing, queues].flatMap((module) => module.actors);

/** The modules on a real runtime over the memory engine, called as the gateway calls them. */
async function start(t: ExecutionContext, store = new MemoryStore()) {
  const runtime = await startRuntime({
    storage: openMemory(store),
    shards: Array.from({ length: 256 }, (_, index) => index),
    definitions,
    world: systemWorld(),
  });
  t.teardown(() => runtime.stop());
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const context = (key?: string, platform = false): CallContext => ({
    caller: { ...testCaller(tenant), platform },
    asker: runtime,
    deadlineMs: Date.now() + 30_000,
    signal: stop.signal,
    now: Date.now(),
    ...(key !== undefined && { idempotency: { scope: `${tenant}:${key}`, fingerprint: key } }),
  });
  const call = async (method: string, request: Message, key?: string): Promise<Message> => {
    try {
      return (await queues.orchestrations![method]!(request, context(key))) as Message;
    } catch (error) {
      if (error instanceof RefusalError) return { ...error.refusal };
      throw error;
    }
  };
  const ask = async (
    kind: string,
    key: string,
    method: string,
    request: Message,
    environment?: string,
  ): Promise<Message> => {
    const caller = { ...testCaller(tenant), ...(environment && { environment }) };
    const deadlineMs = Date.now() + 30_000;
    const answer = await runtime.ask({ to: { kind, tenant, key }, method, request, caller, deadlineMs });
    return (isRefusal(answer) ? answer : answer.response) as Message;
  };
  const queue = (poolId: string, method: string, request: Message = {}) =>
    ask("queue", handleOf(poolId), method, { pool_id: poolId, ...request });
  const createPool = async (config: Message = {}, environment?: string) => {
    const given = { name: "p", config };
    const { id } = await ask("directory", "pool", "PoolService.CreatePool", given, environment);
    const request = { pool_id: id, name: "r" };
    const recipient = await ask("pool", handleOf(id as string), "RecipientService.CreateRecipient", request);
    return { poolId: id as string, recipientId: recipient.id as string };
  };
  return { runtime, stop, context, call, ask, queue, createPool, store };
}

/** An iterable that is written to from outside. */
class Channel implements AsyncIterable<unknown> {
  readonly #waiting: unknown[] = [];
  #wake: () => void = () => {};
  #ended = false;

  send(message: unknown): void {
    this.#waiting.push(message);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

test("a rule redirects an item to another pool, and a retry with the same key finds it there", async (t) => {
  const { call, ask, createPool, queue } = await start(t);
  const from = await createPool();
  const to = await createPool();
  await ask("pool", handleOf(from.poolId), "RuleService.CreateRule", {
    pool_id: from.poolId,
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
  t.is((await queue(to.poolId, "QueueControlService.GetQueueStatus")).depth, 2);
  await ask("pool", handleOf(to.poolId), "PoolService.DeletePool", { pool_id: to.poolId, force: true });
  t.like(await call("QueueService.Enqueue", request), {
    code: "FAILED_PRECONDITION",
    reason: "REDIRECT_TARGET_MISSING",
  });
});

test("a redirect into another environment is refused as that, whether the caller names its own or not", async (t) => {
  const { context, ask, createPool } = await start(t);
  const { poolId } = await createPool();
  const staging = await createPool({}, "staging");
  const rule = { pool_id: poolId, name: "away", action: { redirect: { pool_id: staging.poolId } } };
  await ask("pool", handleOf(poolId), "RuleService.CreateRule", rule);
  const refused = { code: "FAILED_PRECONDITION", reason: "REDIRECT_ENVIRONMENT" };
  for (const environment of [undefined, "production"]) {
    const given = context();
    const call = { ...given, caller: { ...given.caller, ...(environment && { environment }) } };
    const enqueueOne = queues.orchestrations!["QueueService.Enqueue"]!;
    const enqueueBatch = queues.orchestrations!["QueueService.EnqueueBatch"]!;
    const { refusal } = (await t.throwsAsync(enqueueOne({ pool_id: poolId }, call))) as RefusalError;
    t.like(refusal, refused);
    const { results } = (await enqueueBatch({ pool_id: poolId, items: [{}] }, call)) as {
      results: { error: Message }[];
    };
    t.like(results[0]!.error, { error_code: refused.code, reason: refused.reason });
    const route = routing.questions!["RoutingService.Route"]!;
    const answer = await call.asker.ask(route.ask({ pool_id: poolId }, call));
    const routed = async () => route.read(answer, { pool_id: poolId }, call);
    t.like(((await t.throwsAsync(routed)) as RefusalError).refusal, refused);
  }
});

test("queues are listed with their figures, paused ones by themselves", async (t) => {
  const { call, createPool, queue } = await start(t);
  const one = await createPool();
  await createPool();
  await call("QueueService.Enqueue", { pool_id: one.poolId });
  await queue(one.poolId, "QueueControlService.PauseQueue", { reason: "r" });
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
  const { context, call, createPool, runtime } = await start(t);
  const config = { admission: { singleton: { key: "item.key", mode: "skip" } } };
  const made = [await createPool(config), await createPool(config), await createPool(config)];
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
    const list = (queues.orchestrations![method] ?? pools.orchestrations![method])!;
    const page = (await list({ page_size: 10 }, without(isolated))) as Record<string, Message[]>;
    t.deepEqual(
      page[items]!.map((one) => one[id]),
      [first, last],
      method,
    );
    t.deepEqual(page.unavailable, [{ pool_id: broken, name: "p", error }], method);
    const denied = list({}, without(refuse("PERMISSION_DENIED", "no")));
    t.is(((await t.throwsAsync(denied)) as RefusalError).refusal.code, "PERMISSION_DENIED");
  }
});

test("drain and purge go on until they have done what was asked", async (t) => {
  const { call, createPool, queue } = await start(t);
  const { poolId } = await createPool();
  for (let i = 0; i < 3; i++)
    await call("QueueService.EnqueueBatch", {
      pool_id: poolId,
      items: Array.from({ length: 500 }, () => ({})),
    });
  t.like(await call("QueueControlService.DrainQueue", { pool_id: poolId, max_items: 1_300 }), {
    drained: 1_300,
    remaining_depth: 200,
  });
  t.is((await queue(poolId, "QueueControlService.GetQueueStatus")).depth, 200);
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId, older_than: "72h" }), { purged: 0 });
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId, older_than: "soon" }), {
    code: "INVALID_ARGUMENT",
  });
});

test("admission groups are listed pool by pool", async (t) => {
  const { call, createPool } = await start(t);
  const config = { admission: { singleton: { key: "item.key", mode: "skip" } } };
  const one = await createPool(config);
  const two = await createPool(config);
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

test("Work hands out as much as there is credit, settles on the same stream, and tells of lost leases", async (t) => {
  const { context, call, createPool, queue } = await start(t);
  const { poolId, recipientId } = await createPool();
  const input = new Channel();
  const frames = queues.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: 2 } });
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}, {}, {}] });
  const got: { item: Message; lease_token: string }[] = [];
  while (got.length < 2) got.push(...((await next()).assigned!.items as typeof got));
  t.is((await queue(poolId, "QueueControlService.GetQueueStatus")).depth, 1, "no credit, no item");
  const settlement = (leased: (typeof got)[number], outcome: string) => ({
    queue_item_id: leased.item.id,
    lease_token: leased.lease_token,
    outcome,
  });
  input.send({ credit: { items: 1 } });
  input.send({ settle: { settlements: [settlement(got[0]!, "complete"), settlement(got[1]!, "release")] } });
  const settled: Message[] = [];
  while (settled.length < 2 || got.length < 3) {
    const frame = await next();
    if (frame.settled) settled.push(...(frame.settled.results as Message[]));
    if (frame.assigned) got.push(...(frame.assigned.items as typeof got));
  }
  t.deepEqual(
    settled.map(({ state }) => state),
    ["completed", "ready"],
  );
  input.send({ settle: { settlements: [{ ...settlement(got[2]!, "complete"), lease_token: "old" }] } });
  t.like((await next()).lease_lost, { queue_item_id: got[2]!.item.id as string, reason: "reassigned" });
  input.end();
  t.true((await frames.next()).done);
});

test("Work hears of a lease that is cancelled or expires at once, without settling and without credit", async (t) => {
  const { context, call, createPool, queue } = await start(t);
  const { poolId, recipientId } = await createPool();
  const input = new Channel();
  const frames = queues.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: 2, lease_seconds: 1 } });
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}, {}] });
  const got: { item: Message; lease_token: string }[] = [];
  while (got.length < 2) got.push(...((await next()).assigned!.items as typeof got));
  const [first, second] = got.map(({ item }) => item.id as string);
  await queue(poolId, "QueueService.Cancel", { queue_item_id: first });
  t.like((await next()).lease_lost, { queue_item_id: first, reason: "cancelled" });
  t.like((await next()).lease_lost, { queue_item_id: second, reason: "expired" });
  input.end();
  t.true((await frames.next()).done);
});

test("subscribers see every change of an item, and go on from a cursor after a restart", async (t) => {
  const store = new MemoryStore();
  const first = await start(t, store);
  const { poolId, recipientId } = await first.createPool();
  const subscribe = (on: Awaited<ReturnType<typeof start>>, cursor: string) => {
    const input = new Channel();
    input.send({ cursor, kinds: ["queue_item"] });
    return events.streams!["EventService.Subscribe"]!(input, on.context())[Symbol.asyncIterator]();
  };
  type Sent = { cursor: string; event: Message & { payload: Message } };
  const live = subscribe(first, "");
  const early = live.next();
  // The first look at the shards says where "from now on" is.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { item } = (await first.call("QueueService.Enqueue", { pool_id: poolId })) as {
    item: { id: string };
  };
  const enqueued = (await early).value as Sent;
  t.like(enqueued.event, { kind: "queue_item.enqueued", subject: item.id, tenant_id: tenant });
  first.stop.abort();
  await first.queue(poolId, "QueueService.Claim", { recipient_id: recipientId });
  await first.runtime.drain();
  first.runtime.stop();

  const second = await start(t, store);
  const forged = sealCursor(tenant, ["events", tenant], [0, 0]);
  await t.throwsAsync(subscribe(second, forged).next(), {
    instanceOf: RefusalError,
    message: /cursor is not a cursor/,
  });
  const resumed = subscribe(second, enqueued.cursor);
  const kinds: unknown[] = [];
  while (!kinds.includes("queue_item.leased")) kinds.push(((await resumed.next()).value as Sent).event.kind);
  t.deepEqual(kinds, ["queue_item.enqueued", "queue_item.leased"], "at least once, in order");
  second.stop.abort();
});

test("retry-all survives a crash in the middle: each dead letter is retried once", async (t) => {
  const store = new MemoryStore();
  const first = await start(t, store);
  const { poolId, recipientId } = await first.createPool();
  const dead: string[] = [];
  for (let i = 0; i < 10; i++) {
    await first.call("QueueService.EnqueueBatch", {
      pool_id: poolId,
      items: Array.from({ length: 100 }, () => ({})),
    });
    const { items } = (await first.queue(poolId, "QueueService.Claim", {
      recipient_id: recipientId,
      max_items: 100,
    })) as { items: { item: { id: string }; lease_token: string }[] };
    const settlements = items.map(({ item, lease_token }) => {
      dead.push(item.id);
      return { queue_item_id: item.id, lease_token, outcome: "reject" };
    });
    await first.queue(poolId, "QueueService.SettleBatch", { settlements });
  }
  const job = await first.queue(poolId, "DeadLetterService.RetryAll", { rate: 2_000 });
  const operation_id = job.operation_id as string;
  const progress = async (on: typeof first) =>
    (await on.queue(poolId, "DeadLetterService.GetRetryAll", { operation_id })) as {
      state: string;
      retried: number;
    };
  while ((await progress(first)).retried === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  first.runtime.stop();

  const second = await start(t, store);
  while ((await progress(second)).state === "running")
    await new Promise((resolve) => setTimeout(resolve, 20));
  t.like(await progress(second), { state: "completed", retried: 1_000 });
  const retried = new Set<string>();
  for (;;) {
    const { items } = (await second.queue(poolId, "QueueService.Claim", {
      recipient_id: recipientId,
      max_items: 100,
    })) as { items: { item: { id: string; retry_count: number } }[] };
    if (items.length === 0) break;
    for (const { item } of items) {
      t.is(item.retry_count, 1);
      retried.add(item.id);
    }
  }
  t.is(retried.size, 1_000);
});
