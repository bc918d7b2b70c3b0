import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

async function staffed(world: World): Promise<{ pool_id: string; recipient_id: string }> {
  const pool_id = await world.pool();
  return { pool_id, recipient_id: await world.recipient(pool_id) };
}

/** Of the case whose caller waits now. */
let awaited: Awaited<ReturnType<typeof staffed>>;

/** As deep as a body may be, counted with the levels around it. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

export const cases: readonly Case[] = [
  {
    method: "QueueService.Enqueue",
    claim: "an item is queued",
    request: async (world) => ({
      pool_id: await world.pool(),
      key: "k",
      payload: { order: [1, 2] },
      attributes: { vip: true },
      priority: 2,
    }),
  },
  {
    method: "QueueService.Enqueue",
    claim: "a priority beyond the last band is refused",
    request: async (world) => ({ pool_id: await world.pool(), priority: 6 }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Enqueue",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody, payload: 1 }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.EnqueueBatch",
    claim: "each entry has its own result",
    request: async (world) => ({
      pool_id: await world.pool(),
      items: [{ payload: 1 }, { key: "b", dedup_id: "d" }, { payload: nested(61) }],
    }),
  },
  {
    method: "QueueService.EnqueueBatch",
    claim: "an empty batch is refused",
    request: async (world) => ({ pool_id: await world.pool(), items: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.ListItems",
    claim: "items by state",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      await world.item(pool_id);
      return { pool_id, page_size: 1, states: ["ready"] };
    },
  },
  {
    method: "QueueService.ListItems",
    claim: "an unknown state is refused",
    request: async (world) => ({ pool_id: await world.pool(), states: ["lost"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.GetItem",
    claim: "an item is found",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id) };
    },
  },
  {
    method: "QueueService.GetItem",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.Claim",
    claim: "an item that comes while the worker waits",
    request: async (world) => {
      awaited = await staffed(world);
      return { ...awaited, wait_seconds: 5 };
    },
    meanwhile: async (world) => void (await world.item(awaited.pool_id)),
  },
  {
    method: "QueueService.Claim",
    claim: "an item is leased",
    request: async (world) => {
      const ids = await staffed(world);
      await world.item(ids.pool_id);
      return { ...ids, max_items: 2, lease_seconds: 10 };
    },
  },
  {
    method: "QueueService.Claim",
    claim: "an empty queue has no item",
    request: staffed,
  },
  {
    method: "QueueService.Claim",
    claim: "an unknown recipient is not found",
    request: async (world) => ({ pool_id: await world.pool(), recipient_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.SettleBatch",
    claim: "each entry has its own result",
    request: async (world) => {
      const { pool_id, queue_item_id, lease_token } = await world.leased();
      const stranger = { queue_item_id: nobody, lease_token: "x", outcome: "fail" };
      return {
        pool_id,
        settlements: [{ queue_item_id, lease_token, outcome: "complete", result: 1 }, stranger],
      };
    },
  },
  {
    method: "QueueService.SettleBatch",
    claim: "an unknown outcome is refused with its position",
    request: async (world) => ({
      pool_id: await world.pool(),
      settlements: [{ queue_item_id: nobody, lease_token: "x", outcome: "perhaps" }],
    }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Complete",
    claim: "the holder of the lease completes the item",
    request: async (world) => ({ ...(await world.leased()), result: { ok: true } }),
  },
  {
    method: "QueueService.Complete",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Fail",
    claim: "a failed item waits for its retry",
    request: async (world) => ({ ...(await world.leased()), error: "boom", delay_ms: 60_000 }),
  },
  {
    method: "QueueService.Fail",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  { method: "QueueService.Release", claim: "an item is released", request: (world) => world.leased() },
  {
    method: "QueueService.Release",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Reject",
    claim: "a rejected item is a dead letter",
    request: async (world) => ({ ...(await world.leased()), error: "no", error_type: "bad" }),
  },
  {
    method: "QueueService.Reject",
    claim: "a token is required",
    request: async (world) => ({ ...(await world.leased()), lease_token: "" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Extend",
    claim: "a lease is extended",
    request: async (world) => ({ ...(await world.leased()), lease_seconds: 120 }),
  },
  {
    method: "QueueService.Extend",
    claim: "an old token is refused",
    request: async (world) => ({ ...(await world.leased()), lease_token: "stale" }),
    refused: "LEASE_LOST",
  },
  {
    method: "QueueService.Cancel",
    claim: "a waiting item is cancelled",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id) };
    },
  },
  {
    method: "QueueService.Cancel",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.AwaitItem",
    claim: "an item that still waits is told as it is",
    request: async (world) => {
      const pool_id = await world.pool();
      return { pool_id, queue_item_id: await world.item(pool_id), wait_ms: 0 };
    },
  },
  {
    method: "QueueService.AwaitItem",
    claim: "a cancelled item is finished",
    request: async (world) => {
      const pool_id = await world.pool();
      const queue_item_id = await world.item(pool_id);
      await world.call("QueueService.Cancel", { pool_id, queue_item_id });
      return { pool_id, queue_item_id, until: "finished" };
    },
  },
  {
    method: "QueueService.AwaitItem",
    claim: "one that is handed out while its caller waits",
    request: async (world) => {
      awaited = await staffed(world);
      const { pool_id } = awaited;
      return { pool_id, queue_item_id: await world.item(pool_id), wait_ms: 5_000, until: "started" };
    },
    meanwhile: (world) => world.call("QueueService.Claim", awaited),
  },
  {
    method: "QueueService.AwaitItem",
    claim: "an unknown one is not found",
    request: async (world) => ({ pool_id: await world.pool(), queue_item_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.CancelAll",
    claim: "a job is started",
    request: async (world) => ({ pool_id: await world.pool(), states: ["ready"], filter: "attempts > 1" }),
  },
  {
    method: "QueueService.CancelAll",
    claim: "a filter that does not compile is refused",
    request: async (world) => ({ pool_id: await world.pool(), filter: "attempts >" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueService.Work",
    claim: "a worker with credit gets an item",
    request: async (world) => {
      const ids = await staffed(world);
      await world.item(ids.pool_id);
      return [{ hello: { ...ids, credit: 1 } }];
    },
    take: 1,
  },
  {
    method: "QueueService.Work",
    claim: "a malformed frame after the item is refused alone",
    request: async (world) => [
      { hello: await staffed(world) },
      { settle: { settlements: [{ queue_item_id: nobody, lease_token: "t", outcome: "lost" }] } },
    ],
    take: 1,
  },
  {
    method: "QueueService.Work",
    claim: "a recipient that the pool does not have is not found, also without credit",
    request: async (world) => [{ hello: { pool_id: await world.pool(), recipient_id: nobody } }],
    refused: "NOT_FOUND",
  },
  {
    method: "QueueService.Work",
    claim: "a worker that has no more to say is told the end",
    request: async (world) => [{ hello: await staffed(world) }],
  },
  {
    method: "QueueService.Work",
    claim: "a malformed hello is refused",
    request: () => [{ hello: { pool_id: "x", recipient_id: nobody } }],
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
QueueService.Enqueue      | POST /api/queues/{pool_id}/items | queue_item:write | | I
QueueService.EnqueueBatch | POST /api/queues/{pool_id}/items:batch | queue_item:write | | I
QueueService.ListItems    | GET /api/queues/{pool_id}/items | queue_item:read | | R C
QueueService.GetItem      | GET /api/queues/{pool_id}/items/{queue_item_id} | queue_item:read | | R
QueueService.AwaitItem    | GET /api/queues/{pool_id}/items/{queue_item_id}/await | queue_item:read | | R
QueueService.CancelAll    | POST /api/queues/{pool_id}/items:cancel-all | queue_item:write | | I audited
QueueService.Claim        | POST /api/queues/{pool_id}/items:claim | queue_item:write | | I
QueueService.SettleBatch  | POST /api/queues/{pool_id}/items:settle | queue_item:write | | I
QueueService.Complete     | POST /api/queues/{pool_id}/items/{queue_item_id}/complete | queue_item:write | | T
QueueService.Fail         | POST /api/queues/{pool_id}/items/{queue_item_id}/fail | queue_item:write | | T
QueueService.Release      | POST /api/queues/{pool_id}/items/{queue_item_id}/release | queue_item:write | | T
QueueService.Reject       | POST /api/queues/{pool_id}/items/{queue_item_id}/reject | queue_item:write | | T
QueueService.Extend       | POST /api/queues/{pool_id}/items/{queue_item_id}/extend | queue_item:write | | T
QueueService.Cancel       | POST /api/queues/{pool_id}/items/{queue_item_id}/cancel | queue_item:write | | I
QueueService.Work         | | queue_item:write | | stream
`;
