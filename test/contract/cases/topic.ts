import { type Case, nobody } from "./case.ts";
import { subscriber, topic } from "./subscriber.ts";

let made = 0;
/** Keys ascend: a page of one then has the case's own resource, whatever other cases created. */
const newKey = () => `unique.${Date.now()}${String(made++).padStart(6, "0")}`;
const none = "no.such.topic";

export const cases: readonly Case[] = [
  {
    method: "TopicService.CreateTopic",
    claim: "a topic without members",
    request: () => ({ key: newKey(), name: "news", metadata: { owner: "press" } }),
  },
  {
    method: "TopicService.CreateTopic",
    claim: "a key that is taken is refused",
    request: async (world) => ({ key: await topic(world) }),
    refused: "ALREADY_EXISTS",
  },
  {
    method: "TopicService.CreateTopic",
    claim: "a key that is not a slug is refused",
    request: () => ({ key: "News!" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TopicService.ListTopics",
    claim: "a page of topics",
    request: async (world) => {
      await topic(world);
      await topic(world);
      return { page_size: 1 };
    },
  },
  {
    method: "TopicService.ListTopics",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "AAAA" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "TopicService.GetTopic",
    claim: "one topic",
    request: async (world) => ({ key: await topic(world) }),
  },
  {
    method: "TopicService.GetTopic",
    claim: "an unknown one is not found",
    request: () => ({ key: none }),
    refused: "NOT_FOUND",
  },
  {
    method: "TopicService.UpdateTopic",
    claim: "name, description and metadata are replaced",
    request: async (world) => ({ key: await topic(world), name: "sports", metadata: { a: 1 } }),
  },
  {
    method: "TopicService.UpdateTopic",
    claim: "another version is a conflict",
    request: async (world) => ({ key: await topic(world), record_version: 7 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "TopicService.DeleteTopic",
    claim: "it is deleted",
    request: async (world) => ({ key: await topic(world) }),
  },
  {
    method: "TopicService.DeleteTopic",
    claim: "an unknown one is not found",
    request: () => ({ key: none }),
    refused: "NOT_FOUND",
  },
  {
    method: "TopicService.AddMembers",
    claim: "unknown subscribers are reported",
    request: async (world) => ({
      key: await topic(world),
      subscriber_ids: [await subscriber(world), await subscriber(world), nobody],
    }),
  },
  {
    method: "TopicService.AddMembers",
    claim: "an unknown topic is not found",
    request: async (world) => ({ key: none, subscriber_ids: [await subscriber(world)] }),
    refused: "NOT_FOUND",
  },
  {
    method: "TopicService.ListMembers",
    claim: "a page of members",
    request: async (world) => {
      const key = await topic(world);
      const subscriber_ids = [await subscriber(world), await subscriber(world)];
      await world.call("TopicService.AddMembers", { key, subscriber_ids, context_keys: ["eu"] });
      return { key, page_size: 1 };
    },
  },
  {
    method: "TopicService.ListMembers",
    claim: "an unknown topic is not found",
    request: () => ({ key: none }),
    refused: "NOT_FOUND",
  },
  {
    method: "TopicService.RemoveMembers",
    claim: "subscribers that are not members are ignored",
    request: async (world) => {
      const key = await topic(world);
      const subscriber_ids = [await subscriber(world)];
      await world.call("TopicService.AddMembers", { key, subscriber_ids });
      return { key, subscriber_ids: [...subscriber_ids, nobody] };
    },
  },
  {
    method: "TopicService.RemoveMembers",
    claim: "an unknown topic is not found",
    request: () => ({ key: none, subscriber_ids: [nobody] }),
    refused: "NOT_FOUND",
  },
];

export const decided = `
TopicService.CreateTopic   | POST /api/v2/notification/topics | notification:write | | I
TopicService.ListTopics    | GET /api/v2/notification/topics | notification:read | | R C
TopicService.GetTopic      | GET /api/v2/notification/topics/{key} | notification:read | | R
TopicService.UpdateTopic   | PUT /api/v2/notification/topics/{key} | notification:write | | I
TopicService.DeleteTopic   | DELETE /api/v2/notification/topics/{key} | notification:write | | I
TopicService.AddMembers    | POST /api/v2/notification/topics/{key}/subscribers | notification:write | | I
TopicService.ListMembers   | GET /api/v2/notification/topics/{key}/subscribers | notification:read | | R C
TopicService.RemoveMembers | POST /api/v2/notification/topics/{key}/subscribers:remove | notification:write | | I
`;
