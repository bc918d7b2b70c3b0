import { randomInt } from "node:crypto";
import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

interface Named {
  readonly id: string;
}

/**
 * External ids, addresses and keys are unique in a tenant. The comparison of doors treats those of the same shape as
 * equal.
 */
const unique = () => `unique-${randomInt(2 ** 40)}`;

export async function subscriber(world: World, fields: object = {}): Promise<string> {
  const request = { external_id: unique(), email: "ada@example.com", ...fields };
  return (await world.call<Named>("SubscriberService.UpsertSubscriber", request)).id;
}

const tokenOf = () => `token ${unique()}`;

async function endpoint(world: World): Promise<{ subscriber_id: string; endpoint_id: string }> {
  const subscriber_id = await subscriber(world);
  const request = { subscriber_id, channel: "push", identity: tokenOf() };
  const { id } = await world.call<Named>("SubscriberService.UpsertEndpoint", request);
  return { subscriber_id, endpoint_id: id };
}

export async function topic(world: World): Promise<string> {
  const key = `unique.${randomInt(2 ** 40)}`;
  await world.call("TopicService.CreateTopic", { key, name: "news" });
  return key;
}

async function preference(world: World): Promise<{ subscriber_id: string; preference_id: string }> {
  const subscriber_id = await subscriber(world);
  const request = { subscriber_id, workflow_key: "digest", all: { enabled: false } };
  const { id } = await world.call<Named>("SubscriberService.PutPreference", request);
  return { subscriber_id, preference_id: id };
}

export const cases: readonly Case[] = [
  {
    method: "SubscriberService.UpsertSubscriber",
    claim: "a new subscriber",
    request: () => ({
      external_id: unique(),
      first_name: "Ada",
      timezone: "Europe/Berlin",
      data: { plan: "pro" },
    }),
  },
  {
    method: "SubscriberService.UpsertSubscriber",
    claim: "an existing one is merged",
    request: async (world) => {
      const external_id = unique();
      await subscriber(world, { external_id });
      return { external_id, first_name: "Ada" };
    },
  },
  {
    method: "SubscriberService.UpsertSubscriber",
    claim: "an unknown time zone is refused",
    request: () => ({ external_id: "x", timezone: "Mars/Olympus" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "SubscriberService.ListSubscribers",
    claim: "the newest first",
    request: async (world) => {
      await subscriber(world);
      await subscriber(world);
      return { page_size: 1 };
    },
  },
  {
    method: "SubscriberService.ListSubscribers",
    claim: "a forged cursor is refused",
    request: () => ({ page_token: "AAAA" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "SubscriberService.GetSubscriber",
    claim: "one subscriber",
    request: async (world) => ({ subscriber_id: await subscriber(world) }),
  },
  {
    method: "SubscriberService.GetSubscriber",
    claim: "an unknown one is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.ReplaceSubscriber",
    claim: "a field that is not given becomes empty",
    request: async (world) => ({ subscriber_id: await subscriber(world), last_name: "Lovelace" }),
  },
  {
    method: "SubscriberService.ReplaceSubscriber",
    claim: "another version is a conflict",
    request: async (world) => ({ subscriber_id: await subscriber(world), record_version: 7 }),
    refused: "VERSION_CONFLICT",
  },
  {
    method: "SubscriberService.DeleteSubscriber",
    claim: "it becomes inactive",
    request: async (world) => ({ subscriber_id: await subscriber(world) }),
  },
  {
    method: "SubscriberService.DeleteSubscriber",
    claim: "an unknown one is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.BatchUpsertSubscribers",
    claim: "each is answered by itself",
    request: () => ({
      subscribers: [{ external_id: unique() }, { external_id: "y", timezone: "Mars/Olympus" }],
    }),
  },
  {
    method: "SubscriberService.BatchUpsertSubscribers",
    claim: "an empty list is refused",
    request: () => ({ subscribers: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "SubscriberService.UpsertEndpoint",
    claim: "a new address",
    request: async (world) => ({
      subscriber_id: await subscriber(world),
      channel: "push",
      identity: tokenOf(),
      metadata: { device: "phone" },
    }),
  },
  {
    method: "SubscriberService.UpsertEndpoint",
    claim: "an address of another subscriber is taken",
    request: async (world) => {
      const identity = `${unique()}@example.com`;
      const own = { subscriber_id: await subscriber(world), channel: "email", identity };
      await world.call("SubscriberService.UpsertEndpoint", own);
      return { ...own, subscriber_id: await subscriber(world) };
    },
    refused: "ALREADY_EXISTS",
  },
  {
    method: "SubscriberService.ListEndpoints",
    claim: "of one channel",
    request: async (world) => ({ subscriber_id: (await endpoint(world)).subscriber_id, channel: "push" }),
  },
  {
    method: "SubscriberService.ListEndpoints",
    claim: "an unknown subscriber is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.RemoveEndpoint",
    claim: "it is removed",
    request: endpoint,
  },
  {
    method: "SubscriberService.RemoveEndpoint",
    claim: "an unknown one is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), endpoint_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.SendEndpointConfirmation",
    claim: "an unknown one is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), endpoint_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.SendEndpointConfirmation",
    claim: "a link is sent",
    request: async (world) => {
      const subscriber_id = await subscriber(world);
      const own = { subscriber_id, channel: "email", identity: `${unique()}@example.com` };
      const { id } = await world.call<Named>("SubscriberService.UpsertEndpoint", own);
      return { subscriber_id, endpoint_id: id };
    },
  },
  {
    method: "SubscriberService.VerifyEndpoint",
    claim: "by the caller's word",
    request: endpoint,
  },
  {
    method: "SubscriberService.VerifyEndpoint",
    claim: "an unknown one is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), endpoint_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.Subscribe",
    claim: "with context keys, as a set",
    request: async (world) => ({
      subscriber_id: await subscriber(world),
      topic_key: await topic(world),
      context_keys: ["b", "a", "b"],
    }),
  },
  {
    method: "SubscriberService.Subscribe",
    claim: "an unknown topic is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), topic_key: "no.such.topic" }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.ListSubscriptions",
    claim: "the topics of a subscriber",
    request: async (world) => {
      const subscriber_id = await subscriber(world);
      await world.call("SubscriberService.Subscribe", { subscriber_id, topic_key: await topic(world) });
      await world.call("SubscriberService.Subscribe", { subscriber_id, topic_key: await topic(world) });
      return { subscriber_id, page_size: 1 };
    },
  },
  {
    method: "SubscriberService.ListSubscriptions",
    claim: "an unknown subscriber is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.Unsubscribe",
    claim: "it leaves the topic",
    request: async (world) => {
      const subscription = { subscriber_id: await subscriber(world), topic_key: await topic(world) };
      await world.call("SubscriberService.Subscribe", subscription);
      return subscription;
    },
  },
  {
    method: "SubscriberService.Unsubscribe",
    claim: "a subscriber that is not a member is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), topic_key: await topic(world) }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.PutPreference",
    claim: "layer 5 with quiet hours",
    request: async (world) => ({
      subscriber_id: await subscriber(world),
      workflow_key: "digest",
      topic_key: "news",
      context_keys: ["eu"],
      channels: { email: { enabled: true, condition: "payload.urgent == true" } },
      schedule: {
        timezone: "Europe/Berlin",
        ranges: [{ days: ["mon", "tue"], start: "22:00", end: "07:00" }],
      },
    }),
  },
  {
    method: "SubscriberService.PutPreference",
    claim: "a condition that does not compile is refused with its position",
    request: async (world) => ({ subscriber_id: await subscriber(world), condition: "payload.urgent ==" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "SubscriberService.ListPreferences",
    claim: "the rows of a subscriber",
    request: async (world) => ({ subscriber_id: (await preference(world)).subscriber_id }),
  },
  {
    method: "SubscriberService.ListPreferences",
    claim: "an unknown subscriber is not found",
    request: () => ({ subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.DeletePreference",
    claim: "it is deleted",
    request: preference,
  },
  {
    method: "SubscriberService.DeletePreference",
    claim: "an unknown one is not found",
    request: async (world) => ({ subscriber_id: await subscriber(world), preference_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "SubscriberService.PreviewPreferences",
    claim: "all channels, with their traces",
    request: async (world) => ({
      subscriber_id: (await preference(world)).subscriber_id,
      workflow_key: "digest",
      payload_context: { urgent: true },
    }),
  },
  {
    method: "SubscriberService.PreviewPreferences",
    claim: "a context that is too long is refused",
    request: async (world) => ({
      subscriber_id: await subscriber(world),
      workflow_key: "digest",
      payload_context: { text: "x".repeat(65_536) },
    }),
    refused: "INVALID_ARGUMENT",
  },
];

export const decided = `
SubscriberService.UpsertSubscriber       | POST /api/v2/notification/subscribers | notification:write | | I
SubscriberService.ListSubscribers        | GET /api/v2/notification/subscribers | notification:read | | R C
SubscriberService.GetSubscriber          | GET /api/v2/notification/subscribers/{subscriber_id} | notification:read | | R
SubscriberService.ReplaceSubscriber      | PUT /api/v2/notification/subscribers/{subscriber_id} | notification:write | | I
SubscriberService.DeleteSubscriber       | DELETE /api/v2/notification/subscribers/{subscriber_id} | notification:write | | I
SubscriberService.BatchUpsertSubscribers | POST /api/v2/notification/subscribers:batch | notification:write | | I
SubscriberService.UpsertEndpoint         | POST /api/v2/notification/subscribers/{subscriber_id}/endpoints | notification:write | | I
SubscriberService.ListEndpoints          | GET /api/v2/notification/subscribers/{subscriber_id}/endpoints | notification:read | | R C
SubscriberService.SendEndpointConfirmation | POST /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id}:sendConfirmation | notification:write | | I
SubscriberService.VerifyEndpoint         | POST /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id}:verify | notification_verification:admin | | I
SubscriberService.RemoveEndpoint         | DELETE /api/v2/notification/subscribers/{subscriber_id}/endpoints/{endpoint_id} | notification:write | | I
SubscriberService.Subscribe              | POST /api/v2/notification/subscribers/{subscriber_id}/subscriptions | notification:write | | I
SubscriberService.ListSubscriptions      | GET /api/v2/notification/subscribers/{subscriber_id}/subscriptions | notification:read | | R C
SubscriberService.Unsubscribe            | DELETE /api/v2/notification/subscribers/{subscriber_id}/subscriptions/{topic_key} | notification:write | | I
SubscriberService.PutPreference          | POST /api/v2/notification/subscribers/{subscriber_id}/preferences | notification:write | | I
SubscriberService.ListPreferences        | GET /api/v2/notification/subscribers/{subscriber_id}/preferences | notification:read | | R C
SubscriberService.DeletePreference       | DELETE /api/v2/notification/subscribers/{subscriber_id}/preferences/{preference_id} | notification:write | | I
SubscriberService.PreviewPreferences     | POST /api/v2/notification/subscribers/{subscriber_id}/preferences:preview | notification:read | | N
`;
