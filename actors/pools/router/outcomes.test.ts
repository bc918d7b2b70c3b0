import test from "ava";
import { limits, RefusalError, refuse } from "#base";
import { testCaller } from "../../../test/support/entity.ts";
import { startModules } from "../../../test/support/modules.ts";
import { orchestrate } from "../../../test/support/orchestrate.ts";
import type { CallContext } from "../../module.ts";
import { pools } from "../index.ts";

type Message = Record<string, unknown>;

test("outcomes of many pools are recorded together, each entry answered in its place", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const routings: Message[] = [];
  for (let i = 0; i < 3; i++) {
    const id = await createPool();
    await inPool(id, "RecipientService.CreateRecipient", { name: "x" });
    routings.push(await call("RoutingService.Route", { pool_id: id, reserve: true }));
  }
  const outcomes = [
    ...routings.map(({ id }) => ({ routing_id: id, result: "success" })),
    { routing_id: "01JVVVVVVV00000000VVVVVVVV", result: "success" },
  ];
  const { results } = (await call("OutcomeService.RecordOutcomes", { outcomes })) as { results: Message[] };
  t.deepEqual(
    results.map(({ outcome, error }) => (outcome as Message)?.routing_id ?? (error as Message).error_code),
    [...routings.map(({ id }) => id), "NOT_FOUND"],
  );
  t.like(await call("OutcomeService.RecordOutcome", { routing_id: routings[0]!.id, result: "failure" }), {
    recipient_id: routings[0]!.recipient_id,
  });
});

test("outcomes are the same when they are told again, also of an item that is gone by then", async (t) => {
  const { createQueue, inQueue, call } = await startModules(t);
  const { poolId, recipientId } = await createQueue();
  const ids: unknown[] = [];
  for (let i = 0; i < 2; i++) ids.push(((await inQueue(poolId, "QueueService.Enqueue")).item as Message).id);
  const [{ lease_token }] = (
    (await inQueue(poolId, "QueueService.Claim", { recipient_id: recipientId })) as { items: [Message] }
  ).items;
  const outcomes = ids.map((queue_item_id, i) => ({ id: `o${i}`, queue_item_id, result: "success" }));
  const first = await call("OutcomeService.RecordOutcomes", { outcomes }, "k1");
  t.like((first.results as Message[])[0]!.outcome, { queue_item_id: ids[0], recipient_id: recipientId });
  await inQueue(poolId, "QueueService.Reject", { queue_item_id: ids[0], lease_token });
  t.like(await call("DeadLetterService.Purge", { pool_id: poolId }), { purged: 1 });
  t.deepEqual(await call("OutcomeService.RecordOutcomes", { outcomes }, "k1"), first);
  t.deepEqual(await call("OutcomeService.RecordOutcomes", { outcomes }), first);
  const another = { id: "o2", queue_item_id: ids[0], result: "success" };
  t.like(await call("OutcomeService.RecordOutcome", another), { code: "NOT_FOUND" });
});

test("batches of a thousand outcomes of items of one pool are all taken, though they come together", async (t) => {
  const { createQueue, inQueue, call } = await startModules(t);
  const { poolId } = await createQueue();
  const items = Array.from({ length: limits.enqueueBatchMax }, (_, i) => ({ key: `k${i}` }));
  const { results } = (await inQueue(poolId, "QueueService.EnqueueBatch", { items })) as {
    results: { item: Message }[];
  };
  const outcomes = results.map(({ item }) => ({ queue_item_id: item.id, result: "success" }));
  const batch = () => call("OutcomeService.RecordOutcomes", { outcomes });
  for (const answer of await Promise.all([batch(), batch(), batch()]))
    t.deepEqual(
      (answer.results as Message[]).filter(({ error }) => error !== undefined),
      [],
    );
});

test("an outcome of an item that is gone is not said to be unknown while its pool cannot be asked", async (t) => {
  const full = refuse("RATE_LIMITED", "full", { reason: "MAILBOX_FULL", retryAfterMs: 100 });
  const ask = async ({ method }: { method: string }) =>
    method === "queue.ItemOwners" ? refuse("NOT_FOUND", "there is no such item") : full;
  const record = pools.orchestrations!["OutcomeService.RecordOutcome"]!;
  const outcome = { id: "o1", queue_item_id: "01JITEM0000000000000000000", result: "success" };
  const call = { caller: testCaller("t"), asker: { ask }, deadlineMs: 0 } as unknown as CallContext;
  const error = await t.throwsAsync(orchestrate(record, outcome, call), { instanceOf: RefusalError });
  t.like((error as RefusalError).refusal, { code: "RATE_LIMITED" });
});

test("an outcome that is refused is not kept under its key: what is put right is recorded with the same one", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  const { id } = await call("RoutingService.Route", { pool_id });
  const unknown = `${(id as string).slice(0, 18)}ZZZZZZZZ`;
  const record = (routing_id: unknown) =>
    call("OutcomeService.RecordOutcome", { routing_id, result: "success" }, "k1");
  t.like(await record(unknown), { code: "NOT_FOUND" });
  const recorded = await record(id);
  t.like(recorded, { routing_id: id });
  t.deepEqual(await record(id), recorded);
});

test("an outcome counts for the recipient that was chosen, also where another is named", async (t) => {
  const { createPool, inPool, call } = await startModules(t);
  const pool_id = await createPool();
  const { id: chosen } = await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  const { id: other } = await inPool(pool_id, "RecipientService.CreateRecipient", { name: "y", weight: 0 });
  const { id: routing_id } = await call("RoutingService.Route", { pool_id });
  const outcome = { routing_id, recipient_id: other, result: "failure" };
  t.like(await call("OutcomeService.RecordOutcome", outcome), { recipient_id: chosen });
});

test("an outcome of an item that is finished, or waits again, counts for the health of the recipient that had it", async (t) => {
  const { call, createQueue, inPool, inQueue } = await startModules(t);
  const { poolId, recipientId } = await createQueue({ outlier: { consecutive_failures: 2 } });
  await inPool(poolId, "RecipientService.CreateRecipient", { name: "another" });
  await call("QueueService.EnqueueBatch", { pool_id: poolId, items: [{}, {}] });
  const claim = { recipient_id: recipientId, max_items: 2 };
  const { items } = (await inQueue(poolId, "QueueService.Claim", claim)) as { items: Leased[] };
  for (const [index, method] of ["QueueService.Complete", "QueueService.Release"].entries()) {
    const { item, lease_token } = items[index]!;
    await inQueue(poolId, method, { queue_item_id: item.id, lease_token });
    const outcome = { queue_item_id: item.id, result: "failure" };
    t.like(await call("OutcomeService.RecordOutcome", outcome), { recipient_id: recipientId });
  }
  const recipient = await inPool(poolId, "RecipientService.GetRecipient", { recipient_id: recipientId });
  t.is(recipient.status, "STATUS_EJECTED");
});

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}
