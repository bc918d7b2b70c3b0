import type { Case } from "./case.ts";

export const cases: readonly Case[] = [
  {
    method: "EventService.Subscribe",
    claim: "a subscriber gets an event when it happens",
    request: () => [{ kinds: ["queue.paused"] }],
    meanwhile: async (world) => {
      const pool_id = await world.pool();
      await world.call("QueueControlService.PauseQueue", { pool_id, reason: "to be heard" });
    },
    take: 1,
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
];

export const decided = `
EventService.Subscribe | GET /api/events/subscribe | event:read | service | INT stream
`;
