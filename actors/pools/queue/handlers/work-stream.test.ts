import test from "ava";
import { RefusalError, refuse } from "#base";
import { Channel } from "../../../../test/support/channel.ts";
import { startModules } from "../../../../test/support/modules.ts";
import { pools } from "../../index.ts";

type Message = Record<string, unknown>;

test("Work hands out as much as there is credit, settles on the same stream, and tells of lost leases", async (t) => {
  const { context, call, createQueue, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const input = new Channel();
  const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: 2, lease_seconds: 600 } });
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}, {}, {}] });
  const got: { item: Message; lease_token: string }[] = [];
  while (got.length < 2) got.push(...((await next()).assigned!.items as typeof got));
  t.is((await inQueue(poolId, "QueueControlService.GetQueueStatus")).depth, 1, "no credit, no item");
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
  const { context, call, createQueue, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const input = new Channel();
  const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: 2, lease_seconds: 1 } });
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}, {}] });
  const got: { item: Message; lease_token: string }[] = [];
  while (got.length < 2) got.push(...((await next()).assigned!.items as typeof got));
  const [first, second] = got.map(({ item }) => item.id as string);
  await inQueue(poolId, "QueueService.Cancel", { queue_item_id: first });
  t.like((await next()).lease_lost, { queue_item_id: first, reason: "cancelled" });
  t.like((await next()).lease_lost, { queue_item_id: second, reason: "expired" });
  input.end();
  t.true((await frames.next()).done);
});

test("Work settles items with large results that come together in parts that their queue takes", async (t) => {
  const { context, call, createQueue, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const count = 40;
  const input = new Channel();
  const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: count, lease_seconds: 600 } });
  await call("QueueService.EnqueueBatch", {
    pool_id: poolId,
    items: Array.from({ length: count }, () => ({})),
  });
  const got: { item: Message; lease_token: string }[] = [];
  while (got.length < count) got.push(...((await next()).assigned!.items as typeof got));
  const result = "x".repeat(250_000);
  for (const { item, lease_token } of got) {
    const settlements = [{ queue_item_id: item.id, lease_token, outcome: "complete", result }];
    input.send({ settle: { settlements } });
  }
  let settled = 0;
  while (settled < count) settled += ((await next()).settled!.results as Message[]).length;
  const status = await inQueue(poolId, "QueueControlService.GetQueueStatus");
  t.like(status.by_state, { completed: count, leased: 0 });
  input.end();
  t.true((await frames.next()).done);
});

test("Work on a pool that is not there ends with NOT_FOUND at once, with credit and without, also where nothing more is sent", async (t) => {
  const { context } = await startModules(t);
  for (const credit of [0, 1])
    for (const ended of [false, true]) {
      const input = new Channel();
      const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
      const nobody = "01JVVVVVVVVVVVVVVVVVVVVVVV";
      input.send({ hello: { pool_id: nobody, recipient_id: nobody, credit } });
      if (ended && credit === 0) input.end();
      const error = await t.throwsAsync(frames.next());
      t.is((error as RefusalError).refusal.code, "NOT_FOUND", `credit ${credit}`);
    }
});

test("Work for a recipient that its pool does not have ends with NOT_FOUND at once, with credit and without", async (t) => {
  const { context, createQueue } = await startModules(t);
  const { poolId } = await createQueue();
  const elsewhere = await createQueue();
  const settlement = { queue_item_id: poolId, lease_token: "token", outcome: "complete" };
  const settle = { settle: { settlements: [settlement] } };
  for (const recipient_id of ["01JVVVVVVVVVVVVVVVVVVVVVVV", elsewhere.recipientId])
    for (const [credit, ...more] of [[0], [0, { credit: { items: 1 } }], [0, settle], [1]]) {
      const input = new Channel();
      const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
      input.send({ hello: { pool_id: poolId, recipient_id, credit } });
      for (const frame of more) input.send(frame);
      const error = await t.throwsAsync(frames.next());
      t.is((error as RefusalError).refusal.code, "NOT_FOUND", JSON.stringify([credit, ...more]));
    }
});

test("Work without credit ends when its pool or recipient is deleted or set aside; with leases when they are settled", async (t) => {
  const { context, call, createQueue, inPool } = await startModules(t);
  const acts: [method: string, request: Message, code: string][] = [
    ["RecipientService.DeleteRecipient", {}, "NOT_FOUND"],
    ["RecipientService.PauseRecipient", {}, "FAILED_PRECONDITION"],
    ["PoolService.SetPoolEnabled", { enabled: false }, "FAILED_PRECONDITION"],
    ["PoolService.DeletePool", { force: true }, "NOT_FOUND"],
  ];
  for (const [method, request, code] of acts)
    for (const holds of method.startsWith("RecipientService.Pause") ? [false, true] : [false]) {
      const { poolId, recipientId } = await createQueue();
      const input = new Channel();
      const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
      if (holds) await call("QueueService.Enqueue", { pool_id: poolId });
      input.send({ hello: { pool_id: poolId, recipient_id: recipientId, credit: holds ? 1 : 0 } });
      const first = frames.next();
      const assigned = holds ? ((await first).value as Record<string, Message>).assigned : undefined;
      await inPool(poolId, method, { pool_id: poolId, recipient_id: recipientId, ...request });
      if (assigned) {
        const [leased] = assigned.items as { item: Message; lease_token: string }[];
        const named = { queue_item_id: leased!.item.id, lease_token: leased!.lease_token };
        input.send({ settle: { settlements: [{ ...named, outcome: "complete" }] } });
        t.truthy(((await frames.next()).value as Record<string, Message>).settled);
      }
      const error = await t.throwsAsync(holds ? frames.next() : first);
      t.is((error as RefusalError).refusal.code as string, code, method);
    }
});

test("Work refuses an empty frame and goes on", async (t) => {
  const { context, createQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const input = new Channel();
  const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId } });
  input.send({});
  const { refused } = (await frames.next()).value as Record<string, { error: Message }>;
  t.is(refused?.error.error_code, "INVALID_ARGUMENT");
  input.end();
  t.true((await frames.next()).done);
});

test("Work hears at once of a lost lease that another stream was given, once it has extended it", async (t) => {
  const { context, call, createQueue, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}] });
  const claimed = await inQueue(poolId, "QueueService.Claim", { recipient_id: recipientId });
  const [{ item, lease_token }] = claimed.items as [{ item: { id: string }; lease_token: string }];
  const input = new Channel();
  const frames = pools.streams!["QueueService.Work"]!(input, context())[Symbol.asyncIterator]();
  const next = async () => (await frames.next()).value as Record<string, Message>;
  input.send({ hello: { pool_id: poolId, recipient_id: recipientId } });
  input.send({ extend: { leases: [{ queue_item_id: item.id, lease_token }] } });
  t.like((await next()).settled!.results, [{ queue_item_id: item.id, state: "leased" }]);
  await inQueue(poolId, "QueueService.Cancel", { queue_item_id: item.id });
  t.like((await next()).lease_lost, { queue_item_id: item.id, lease_token, reason: "cancelled" });
  input.end();
  t.true((await frames.next()).done);
});

test("what came before a frame that cannot be read is settled and answered; then the stream ends with its refusal", async (t) => {
  const { context, call, createQueue, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}] });
  const claimed = await inQueue(poolId, "QueueService.Claim", { recipient_id: recipientId });
  const [{ item, lease_token }] = claimed.items as [{ item: { id: string }; lease_token: string }];
  async function* broken(): AsyncGenerator<object> {
    yield { hello: { pool_id: poolId, recipient_id: recipientId } };
    yield { settle: { settlements: [{ queue_item_id: item.id, lease_token, outcome: "complete" }] } };
    throw new RefusalError(refuse("INVALID_ARGUMENT", "no frame"));
  }
  const frames = pools.streams!["QueueService.Work"]!(broken(), context())[Symbol.asyncIterator]();
  const { value } = await frames.next();
  t.like((value as Record<string, Message>).settled!.results, [{ state: "completed" }]);
  const error = await t.throwsAsync<RefusalError>(Promise.resolve(frames.next()));
  t.like(error?.refusal, { code: "INVALID_ARGUMENT", detail: "no frame" });
});
