import { type Case, nobody } from "./case.ts";
import { subscriber, topic } from "./subscriber.ts";
import type { World } from "./world.ts";

interface Triggered {
  readonly transaction_id: string;
  readonly outcomes: readonly { readonly delivery_id: string }[];
}

const message = {
  workflow_key: "welcome",
  channels: ["chat"],
  payload: { subject: "Hello", body: "Welcome." },
};

/** Sent to a subscriber without an address in the channel: skipped. */
async function skipped(world: World): Promise<{ subscriber_id: string } & Triggered> {
  const subscriber_id = await subscriber(world);
  const request = { ...message, subscriber_id };
  return { subscriber_id, ...(await world.call<Triggered>("NotificationService.Trigger", request)) };
}

/** Sent to an address that no integration serves: failed. */
async function failed(world: World): Promise<{ delivery_id: string; dead_letter_id: string }> {
  const subscriber_id = await subscriber(world);
  const request = { ...message, channels: ["sms"], subscriber_id };
  const endpoint = { subscriber_id, channel: "sms", identity: `+49 ${subscriber_id}` };
  await world.call("SubscriberService.UpsertEndpoint", endpoint);
  const { outcomes } = await world.call<Triggered>("NotificationService.Trigger", request);
  const { delivery_id } = outcomes[0]!;
  const delivery = await world.call<{ dead_letter_id: string }>("NotificationService.GetDelivery", {
    delivery_id,
  });
  return { delivery_id, dead_letter_id: delivery.dead_letter_id };
}

async function broadcast(world: World): Promise<string> {
  const request = { ...message, topic: await topic(world) };
  return (await world.call<Triggered>("NotificationService.Trigger", request)).transaction_id;
}

const observation = { kind: "delivered", provider_event_id: "e1", adapter: "twilio" };

export const cases: readonly Case[] = [
  {
    method: "NotificationService.Trigger",
    claim: "a channel without an address is skipped",
    request: async (world) => ({ ...message, subscriber_id: await subscriber(world) }),
  },
  {
    method: "NotificationService.Trigger",
    claim: "two recipients are refused",
    request: async (world) => ({ ...message, subscriber_id: await subscriber(world), topic: "news" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NotificationService.Trigger",
    claim: "an unknown subscriber is not found",
    request: () => ({ ...message, subscriber_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.GetBroadcast",
    claim: "an unknown one is not found",
    request: () => ({ transaction_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.GetBroadcast",
    claim: "one that is finished",
    request: async (world) => {
      const transaction_id = await broadcast(world);
      await over(world, transaction_id);
      return { transaction_id };
    },
  },
  {
    method: "NotificationService.CancelBroadcast",
    claim: "an unknown one is not found",
    request: () => ({ transaction_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.CancelBroadcast",
    claim: "one that is finished is not changed",
    request: async (world) => {
      const transaction_id = await broadcast(world);
      await over(world, transaction_id);
      return { transaction_id };
    },
  },
  {
    method: "NotificationService.ListDeliveries",
    claim: "of a subscriber",
    request: async (world) => ({ subscriber_id: (await skipped(world)).subscriber_id }),
  },
  {
    method: "NotificationService.ListDeliveries",
    claim: "of a transaction",
    request: async (world) => ({ transaction_id: (await skipped(world)).transaction_id }),
  },
  {
    method: "NotificationService.ListDeliveries",
    claim: "without a filter it is refused",
    request: () => ({}),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NotificationService.GetDelivery",
    claim: "one that failed",
    request: async (world) => ({ delivery_id: (await failed(world)).delivery_id }),
  },
  {
    method: "NotificationService.GetDelivery",
    claim: "an unknown one is not found",
    request: () => ({ delivery_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.ListObservations",
    claim: "of a delivery without observations",
    request: async (world) => ({ delivery_id: (await failed(world)).delivery_id }),
  },
  {
    method: "NotificationService.ListObservations",
    claim: "an unknown delivery is not found",
    request: () => ({ delivery_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.ListDeadLetters",
    claim: "the newest first",
    request: async (world) => {
      await failed(world);
      await failed(world);
      // Other areas make dead letters of other channels meanwhile.
      return { page_size: 1, status: "open", channel: "sms" };
    },
  },
  {
    method: "NotificationService.ListDeadLetters",
    claim: "an unknown status is refused",
    request: () => ({ status: "dead" }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NotificationService.GetDeadLetter",
    claim: "one dead letter",
    request: async (world) => ({ dead_letter_id: (await failed(world)).dead_letter_id }),
  },
  {
    method: "NotificationService.GetDeadLetter",
    claim: "an unknown one is not found",
    request: () => ({ dead_letter_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.RedriveDeadLetter",
    claim: "it fails once more, and is open again",
    request: async (world) => ({ dead_letter_id: (await failed(world)).dead_letter_id }),
  },
  {
    method: "NotificationService.RedriveDeadLetter",
    claim: "an unknown one is not found",
    request: () => ({ dead_letter_id: nobody }),
    refused: "NOT_FOUND",
  },
  {
    method: "NotificationService.RedriveDeadLetters",
    claim: "each is answered by itself",
    request: async (world) => ({ dead_letter_ids: [(await failed(world)).dead_letter_id, nobody] }),
  },
  {
    method: "NotificationService.RedriveDeadLetters",
    claim: "an empty list is refused",
    request: () => ({ dead_letter_ids: [] }),
    refused: "INVALID_ARGUMENT",
  },
  {
    method: "NotificationService.RecordObservations",
    claim: "each is answered by itself",
    request: () => ({ observations: [{ delivery_id: nobody, ...observation }] }),
  },
  {
    method: "NotificationService.RecordObservations",
    claim: "an unknown kind is refused",
    request: () => ({ observations: [{ delivery_id: nobody, ...observation, kind: "seen" }] }),
    refused: "INVALID_ARGUMENT",
  },
];

/** A broadcast without members is finished at once, which still takes a moment. */
async function over(world: World, transaction_id: string): Promise<void> {
  for (;;) {
    const found = await world.call<{ state: string }>("NotificationService.GetBroadcast", { transaction_id });
    if (found.state === "completed") return;
  }
}

export const decided = `
NotificationService.Trigger            | POST /api/v2/notifications/trigger | notification:write | | I
NotificationService.GetBroadcast       | GET /api/v2/notifications/broadcasts/{transaction_id} | notification:read | | R
NotificationService.CancelBroadcast    | POST /api/v2/notifications/broadcasts/{transaction_id}:cancel | notification:write | | I
NotificationService.ListDeliveries     | GET /api/v2/notifications/deliveries | notification:read | | R C
NotificationService.GetDelivery        | GET /api/v2/notifications/deliveries/{delivery_id} | notification:read | | R
NotificationService.ListObservations   | GET /api/v2/notifications/deliveries/{delivery_id}/observations | notification:read | | R C
NotificationService.ListDeadLetters    | GET /api/v2/notifications/dead-letters | notification:read | | R C
NotificationService.GetDeadLetter      | GET /api/v2/notifications/dead-letters/{dead_letter_id} | notification:read | | R
NotificationService.RedriveDeadLetter  | POST /api/v2/notifications/dead-letters/{dead_letter_id}:redrive | notification:admin | | I
NotificationService.RedriveDeadLetters | POST /api/v2/notifications/dead-letters:redrive | notification:admin | | I
NotificationService.RecordObservations | POST /api/v2/notifications/observations | notification_observation:write | service | INT I
`;
