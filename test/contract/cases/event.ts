import type { Case } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "EventService.Subscribe",
    claim: "a subscriber gets an event when it happens",
    request: () => [{ kinds: ["queue.paused"] }],
    // Other areas pause queues, too, and in other environments.
    headers: { "x-environment": "staging" },
    meanwhile: async (world) => {
      const here = { "x-environment": "staging" };
      const { id } = await world.call<{ id: string }>("PoolService.CreatePool", { name: "heard" }, here);
      await world.call("QueueControlService.PauseQueue", { pool_id: id, reason: "to be heard" }, here);
    },
    take: 4,
    first: "event",
  },
  {
    method: "EventService.Subscribe",
    claim: "a forged cursor is refused",
    request: () => [{ cursor: "forged" }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EventService.Subscribe",
    claim: "an unknown kind is refused",
    request: () => [{ kinds: ["queue_item", "queue.pausd"] }],
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EventService.ListEvents",
    claim: "the events of a pool, the newest first",
    request: async (world) => {
      const pool_id = await world.pool();
      await world.call("QueueControlService.PauseQueue", { pool_id });
      return { kinds: ["queue", "pool.created"], subject: pool_id };
    },
  },
  {
    method: "EventService.ListEvents",
    claim: "events of a tenant, page by page",
    request: async (world) => {
      await world.pool();
      return { kinds: ["pool.created"], page_size: 1, since: new Date(0).toISOString() };
    },
  },
  {
    method: "EventService.ListEvents",
    claim: "an unknown kind is refused",
    request: () => ({ kinds: ["queue.pausd"] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "EventService.ListEvents",
    claim: "a forged page token is refused",
    request: () => ({ page_token: "forged" }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
EventService.Subscribe  | GET /api/events/subscribe | event:read | | stream
EventService.ListEvents | GET /api/events           | event:read | | R C
`;
