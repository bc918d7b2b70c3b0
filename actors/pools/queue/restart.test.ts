import test from "ava";
import { RefusalError } from "#base";
import { MemoryStore } from "../../../storage/memory/index.ts";
import { Channel } from "../../../test/support/channel.ts";
import { startModules } from "../../../test/support/modules.ts";
import { tenant } from "../../../test/support/pool.ts";
import { events } from "../../events/index.ts";
import { cursorOf } from "../../kit/list.ts";
import { opened } from "../../module.ts";

type Message = Record<string, unknown>;

test("subscribers see every change of an item, and go on from a cursor after a restart", async (t) => {
  const store = new MemoryStore();
  const first = await startModules(t, store);
  const { poolId, recipientId } = await first.createQueue();
  const subscribe = (on: Awaited<ReturnType<typeof startModules>>, cursor: string) => {
    const input = new Channel();
    input.send({ cursor, kinds: ["queue_item"] });
    return told(events.streams!["EventService.Subscribe"]!(input, on.context()));
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
  await first.inQueue(poolId, "QueueService.Claim", { recipient_id: recipientId });
  await first.runtime.drain();
  first.runtime.stop();

  const second = await startModules(t, store);
  const forged = cursorOf(["events", "01JTENANT00000000000000001"], [0, 0]);
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

/** The events that a subscriber is told, after that its request was accepted. */
async function* told(sent: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const one of sent) if (one !== opened && "event" in (one as object)) yield one;
}

test("retry-all survives a crash in the middle: each dead letter is retried once", async (t) => {
  const store = new MemoryStore();
  const first = await startModules(t, store);
  const { poolId, recipientId } = await first.createQueue();
  const dead: string[] = [];
  for (let i = 0; i < 10; i++) {
    await first.call("QueueService.EnqueueBatch", {
      pool_id: poolId,
      items: Array.from({ length: 100 }, () => ({})),
    });
    const { items } = (await first.inQueue(poolId, "QueueService.Claim", {
      recipient_id: recipientId,
      max_items: 100,
    })) as { items: { item: { id: string }; lease_token: string }[] };
    const settlements = items.map(({ item, lease_token }) => {
      dead.push(item.id);
      return { queue_item_id: item.id, lease_token, outcome: "reject" };
    });
    await first.inQueue(poolId, "QueueService.SettleBatch", { settlements });
  }
  const job = await first.inQueue(poolId, "DeadLetterService.RetryAll", { rate: 2_000 });
  const operation_id = job.operation_id as string;
  const progress = async (on: typeof first) =>
    (await on.inQueue(poolId, "DeadLetterService.GetRetryAll", { operation_id })) as {
      state: string;
      retried: number;
    };
  while ((await progress(first)).retried === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  first.runtime.stop();

  const second = await startModules(t, store);
  while ((await progress(second)).state === "running")
    await new Promise((resolve) => setTimeout(resolve, 20));
  t.like(await progress(second), { state: "completed", retried: 1_000 });
  const retried = new Set<string>();
  for (;;) {
    const { items } = (await second.inQueue(poolId, "QueueService.Claim", {
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
