import { type Case, nobody } from "./case.ts";
import { subscriber } from "./subscriber.ts";

/** The subscriber whose inbox the current case watches. */
let watched = "";

export const cases: readonly Case[] = [
  {
    method: "InboxService.ListInbox",
    claim: "an empty inbox",
    request: async (world) => ({ subscriber_id: await subscriber(world), unread: true }),
  },
  {
    method: "InboxService.ListInbox",
    claim: "an unknown subscriber is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "InboxService.MarkInbox",
    claim: "all of them",
    request: async (world) => ({ subscriber_id: await subscriber(world), all: true, as: "read" }),
  },
  {
    method: "InboxService.MarkInbox",
    claim: "neither all nor some is refused",
    request: async (world) => ({ subscriber_id: await subscriber(world), as: "read" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "InboxService.WatchInbox",
    claim: "the number of unread messages comes first",
    request: async (world) => {
      watched = await subscriber(world);
      return [{ subscriber_id: watched }];
    },
    meanwhile: async (world) => {
      const payload = { body: "Welcome." };
      const request = { workflow_key: "welcome", subscriber_id: watched, channels: ["in_app"], payload };
      await world.call("NotificationService.Trigger", request);
    },
    take: 1,
  },
  {
    method: "InboxService.WatchInbox",
    claim: "an unknown subscriber is not found",
    request: () => [{ subscriber_id: nobody }],
    refused: "NOT_FOUND",
  },
];

export const decided = `
InboxService.ListInbox  | GET /api/v2/notification/subscribers/{subscriber_id}/inbox | notification:read | | R C
InboxService.MarkInbox  | POST /api/v2/notification/subscribers/{subscriber_id}/inbox:mark | notification:write | | I
InboxService.WatchInbox | GET /api/v2/notification/subscribers/{subscriber_id}/inbox/subscribe | notification:read | | stream
`;
