import { type Case, newName, nobody } from "./case.ts";
import type { World } from "./world.ts";

export const cases: readonly Case[] = [
  {
    method: "QueueControlService.ListQueues",
    claim: "a page has the asked size and leads to the next",
    request: async (world) => {
      const name = newName();
      await world.pool({ name });
      await world.pool({ name });
      return { name, page_size: 1 };
    },
  },
  {
    method: "QueueControlService.ListQueues",
    claim: "another tenant's are not shown",
    request: () => ({ tenant_id: nobody }),
    refused: "PERMISSION_DENIED",
  },
  {
    method: "QueueControlService.GetQueueSeries",
    claim: "the last steps of a queue",
    request: async (world) => ({ pool_id: await world.pool(), window: "5m", step: "5m" }),
  },
  {
    method: "QueueControlService.GetQueueSeries",
    claim: "a window that is too short is refused",
    request: async (world) => ({ pool_id: await world.pool(), window: "4m" }),
    refused: "INVALID_ARGUMENT",
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
  {
    method: "QueueControlService.ListJobs",
    claim: "a queue without jobs",
    request: async (world) => ({ pool_id: await world.pool() }),
  },
  {
    method: "QueueControlService.ListJobs",
    claim: "a cursor of another list is refused",
    request: async (world) => ({ pool_id: await world.pool(), page_token: "x" }),
    refused: "INVALID_ARGUMENT",
  },
  ...(["GetJob", "CancelJob"] as const).flatMap((method): Case[] => [
    {
      method: `QueueControlService.${method}`,
      claim: method === "GetJob" ? "the job is found" : "a job that runs is cancelled",
      request: async (world) => jobOf(world, method === "GetJob"),
    },
    {
      method: `QueueControlService.${method}`,
      claim: "an unknown one is not found",
      request: async (world) => ({ pool_id: await world.pool(), operation_id: nobody }),
      refused: "NOT_FOUND",
    },
  ]),
];

/** One that has ended, or one that waits for room in a full queue. */
async function jobOf(world: World, ended: boolean): Promise<{ pool_id: string; operation_id: string }> {
  const { pool_id } = await world.deadLetter({ config: { max_depth: 1 } });
  await world.item(pool_id);
  const request = { pool_id, ...(ended && { key: "none" }) };
  const { operation_id } = await world.call<{ operation_id: string }>("DeadLetterService.RetryAll", request);
  const job = { pool_id, operation_id };
  for (let asked = 0; ended && asked < 1_000; asked++)
    if ((await world.call<{ state: string }>("QueueControlService.GetJob", job)).state !== "running") break;
  return job;
}

export const decided = `
QueueControlService.ListQueues     | GET /api/queues | queue:read | | R C
QueueControlService.GetQueueSeries | GET /api/queues/{pool_id}/series | queue:read | | R
QueueControlService.GetQueueStatus | GET /api/queues/{pool_id}/status | queue:read | | R
QueueControlService.PauseQueue     | POST /api/queues/{pool_id}/pause | queue:admin | admin | I audited
QueueControlService.ResumeQueue    | POST /api/queues/{pool_id}/resume | queue:admin | admin | I audited
QueueControlService.ListJobs       | GET /api/queues/{pool_id}/jobs | queue:read | | R C
QueueControlService.GetJob         | GET /api/queues/{pool_id}/jobs/{operation_id} | queue:read | | R
QueueControlService.CancelJob      | POST /api/queues/{pool_id}/jobs/{operation_id}:cancel | queue_item:write | | I
QueueControlService.DrainQueue     | POST /api/queues/{pool_id}/drain | queue:admin | admin | I audited
`;
