import { toRfc3339 } from "#base";
import { Collection } from "../../kit/collection.ts";
import { messageOf } from "../../kit/message.ts";
import type { Message } from "../../kit/record.ts";
import type { Channel, JsonObject } from "../../notify/outbound/types.ts";
import { resolverVersion } from "../../notify/resolve.ts";

/** One notification to one address of a subscriber. Never edited: a change makes a new one. Times are 0 where there is none. */
export interface Delivery {
  readonly id: string;
  readonly transactionId: string;
  readonly subscriberId: string;
  readonly workflowKey: string;
  readonly topicKey: string;
  readonly channel: Channel;
  readonly tier: Tier;
  readonly endpointId: string;
  readonly identity: string;
  readonly metadata: JsonObject;
  /** Of the endpoint: only integrations of this provider and connection fit; empty: any. */
  readonly endpointProvider: string;
  readonly endpointConnection: string;
  readonly contextKeys: readonly string[];
  readonly status: DeliveryStatus;
  readonly integrationId: string;
  /** The integration that had no slot for it; empty: none. */
  readonly waitsFor: string;
  readonly providerKey: string;
  readonly providerMessageId: string;
  readonly failure: DeliveryFailure | null;
  readonly reasonCode: string;
  readonly winningLayer: number;
  readonly retryAt: number;
  readonly generation: number;
  /** Of this generation. */
  readonly attempt: number;
  readonly providerAttempts: number;
  /** Rounds over all candidates that have failed in this generation. */
  readonly rounds: number;
  /** Integrations that were tried in this round. */
  readonly tried: readonly string[];
  readonly attempts: readonly Attempt[];
  readonly observations: number;
  readonly observationState: string;
  readonly reconciliationRequired: boolean;
  readonly deadLetterId: string;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sentAt: number;
}

/** Direct triggers go before broadcasts. */
export type Tier = "direct" | "broadcast";
type DeliveryStatus = "queued" | "running" | "sent" | "failed" | "skipped";

export interface DeliveryFailure {
  readonly phase: "resolve" | "select" | "render" | "connect" | "provider";
  readonly code: string;
  readonly detail: string;
}

export interface Attempt {
  readonly generation: number;
  readonly attempt: number;
  readonly integrationId: string;
  readonly providerKey: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly result: "" | "accepted" | "refused" | "not_sent" | "maybe_sent";
  readonly code: string;
}

interface Ended {
  readonly status: "sent" | "failed" | "skipped";
}

export function isEnded<One extends Pick<Delivery, "status">>(delivery: One): delivery is One & Ended {
  const { status } = delivery;
  return status === "sent" || status === "failed" || status === "skipped";
}

const ownFields: readonly (keyof Delivery)[] = [
  "tier",
  "metadata",
  "endpointProvider",
  "endpointConnection",
  "contextKeys",
  "waitsFor",
  "rounds",
  "tried",
  "observations",
];
const optional: readonly (keyof Delivery)[] = ["topicKey", "endpointId", "integrationId", "deadLetterId"];

export function deliveryMessage(delivery: Delivery): Message {
  const empty = optional.filter((name) => delivery[name] === "");
  return {
    ...messageOf(delivery, [...ownFields, ...empty]),
    resolver_version: resolverVersion,
    attempts: delivery.attempts.map((attempt) => messageOf(attempt)),
  };
}

export function outcomeMessage(delivery: Delivery): Message {
  const { failure, retryAt, status } = delivery;
  return {
    channel: delivery.channel,
    ...(delivery.endpointId !== "" && { endpoint_id: delivery.endpointId }),
    delivery_id: delivery.id,
    ...(isEnded(delivery) && { outcome: status }),
    status,
    reason_code: delivery.reasonCode,
    ...(failure && { failure }),
    ...(retryAt !== 0 && { retry_at: toRfc3339(retryAt) }),
  };
}

/** A delivery that has failed; the same one again when it fails after a redrive. */
export interface DeadLetter {
  readonly id: string;
  readonly deliveryId: string;
  readonly transactionId: string;
  readonly subscriberId: string;
  readonly workflowKey: string;
  readonly channel: Channel;
  readonly reason: string;
  readonly phase: string;
  readonly status: "open" | "redriven" | "resolved";
  readonly redriveCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const deadLetters = new Collection<DeadLetter>({
  name: "dead",
  filters: ["status", "channel"],
  order: "descending",
});

export interface Observation {
  readonly seq: number;
  readonly kind: string;
  readonly occurredAt: number;
  readonly providerEventId: string;
  readonly adapter: string;
  readonly detail: JsonObject;
  readonly recordedAt: number;
}

export function observationMessage(seen: Observation): Message {
  return { ...messageOf(seen), occurred_at: toRfc3339(seen.occurredAt) };
}

/** A message in the inbox of a subscriber. */
export interface InboxEntry {
  readonly id: string;
  readonly sequence: number;
  readonly deliveryId: string;
  readonly workflowKey: string;
  readonly subject: string;
  readonly body: string;
  readonly data: JsonObject;
  readonly read: boolean;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly readAt?: number;
}

/** Small counters of one subscriber, beside its record. */
export interface Activity {
  readonly deliveries: number;
  /** The last sequence of its inbox. */
  readonly inboxSequence: number;
  readonly inboxTotal: number;
  readonly unread: number;
  readonly subscriptions: number;
}

export const emptyActivity: Activity = {
  deliveries: 0,
  inboxSequence: 0,
  inboxTotal: 0,
  unread: 0,
  subscriptions: 0,
};
