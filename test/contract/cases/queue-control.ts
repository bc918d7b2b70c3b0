import { type Case, nobody } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "QueueControlService.ListQueues",
    claim: "the queues of the tenant",
    request: async (world) => {
      await world.pool();
      await world.pool();
      return { page_size: 1 };
    },
  },
  {
    method: "QueueControlService.ListQueues",
    claim: "another tenant's are not shown",
    request: () => ({ tenant_id: nobody }),
    refused: "PERMISSION_DENIED",
  },
  {
    method: "QueueControlService.GetQueueStatus",
    claim: "depth and states",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      return { pool_id };
    },
  },
  {
    method: "QueueControlService.GetQueueStatus",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueControlService.PauseQueue",
    claim: "a queue is paused",
    request: async (world) => ({ pool_id: await world.pool(), reason: "lunch" }),
  },
  {
    method: "QueueControlService.PauseQueue",
    claim: "a malformed id is refused",
    request: () => ({ pool_id: "x" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "QueueControlService.ResumeQueue",
    claim: "a queue is resumed",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.call("QueueControlService.PauseQueue", { pool_id });
      return { pool_id };
    },
  },
  {
    method: "QueueControlService.ResumeQueue",
    claim: "an unknown pool is not found",
    request: () => ({ pool_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "QueueControlService.DrainQueue",
    claim: "waiting items are removed",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.item(pool_id);
      await world.item(pool_id);
      return { pool_id, max_items: 1 };
    },
  },
  {
    method: "QueueControlService.DrainQueue",
    claim: "the number of items is required",
    request: async (world) => ({ pool_id: await world.pool() }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
QueueControlService.ListQueues     | GET /api/queues | queue:read | | R C
QueueControlService.GetQueueStatus | GET /api/queues/{pool_id}/status | queue:read | | R
QueueControlService.PauseQueue     | POST /api/queues/{pool_id}/pause | queue:admin | admin | I audited
QueueControlService.ResumeQueue    | POST /api/queues/{pool_id}/resume | queue:admin | admin | I audited
QueueControlService.DrainQueue     | POST /api/queues/{pool_id}/drain | queue:admin | admin | I audited
`;
