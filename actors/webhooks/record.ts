import { handleOf, limits, toRfc3339 } from "#base";
import { type Address, rowsOf } from "#runtime";
import { contractMethod, method } from "../kit/ask.ts";
import { Collection } from "../kit/collection.ts";
import type { EntityPurge } from "../kit/directory.ts";
import type { Job, Jobs } from "../kit/jobs.ts";
import { type Message, type Stored, stampsOf } from "../kit/record.ts";
import type { EncryptedSecret } from "../kit/secrets.ts";
import { webhookKind } from "../kit/webhook.ts";

export type Signing = "v1" | "v1a";
type Ordering = "none" | "subject" | "strict";
type DisabledReason = "by_caller" | "gone" | "failing";

/** An endpoint, as it is stored. */
export interface Webhook extends Stored {
  readonly tenant: string;
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly string[];
  /** Empty: events of all. */
  readonly environment: string;
  /** Empty: it is active. */
  readonly disabledReason: DisabledReason | "";
  readonly signing: Signing;
  readonly ordering: Ordering;
  readonly maxInFlight: number;
  readonly headerNames: readonly string[];
  readonly publicKey: string;
  readonly secret: EncryptedSecret;
  /** The secret before the last rotation, and until when it signs. */
  readonly previous: (EncryptedSecret & { readonly untilMs: number }) | null;
}

/** What an envelope holds. */
export interface Secrets {
  /** 32 bytes, as base64. */
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What changes as deliveries come and go. */
export interface Flow {
  /** How many may be under way now. */
  readonly window: number;
  /** 0: the last one succeeded. */
  readonly failingSince: number;
  readonly lastGap: number;
  /** Of all bodies that are kept. */
  readonly bytes: number;
  /** How many have taken their place in the line so far. */
  readonly placed: number;
}

type DeliveryState = "pending" | "sending" | "retry_wait" | "held" | "delivered" | "exhausted";

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly kind: string;
  readonly subject: string;
  /** In the line: ids of one millisecond are in no order. */
  readonly place: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Counts the sends: each is an effect with an id of its own. */
  readonly generation: number;
  readonly nextAt: number;
  readonly lastStatus: number;
  readonly lastError: string;
  readonly bytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a job of redelivery chooses by. */
export interface Selection {
  readonly since: number;
  readonly until: number;
  readonly kinds: readonly string[];
  readonly states: readonly string[];
}

export type RedeliverJob = Job<Selection, "redeliver">;
export type RedeliverJobs = Jobs<Selection, "redeliver">;

export const recordRows = rowsOf<Webhook, readonly []>("record");
export const flowRows = rowsOf<Flow, readonly []>("flow");
/** Shard and position up to which events have been taken. */
export const positionRows = rowsOf<readonly number[], readonly []>("position");
/** Deliveries that have not ended, by their place in the line. */
export const openRows = rowsOf<Delivery, readonly [place: number]>("open");
export const bodyRows = rowsOf<string>("body");
/** Those that have ended, by when they are forgotten. */
export const endedRows = rowsOf<null, readonly [atMs: number, id: string]>("ended");

/** One that is being sent is stored here as pending: it would be two more rows for each attempt. */
export const deliveries = new Collection<Delivery>({
  name: "delivery",
  filters: ["state"],
  order: "descending",
});
export const oldestFirst = new Collection<Delivery>({ name: "delivery", filters: ["state"] });

export interface WebhookCreation {
  readonly type: "create";
  readonly record: Webhook;
  readonly cursor: readonly number[];
}

export type Incoming = WebhookCreation | EntityPurge;

export function webhookAt(tenant: string, id: string): Address {
  return { kind: webhookKind, tenant, key: handleOf(id) };
}

export function entryOf({ id, name, disabledReason, secret }: Webhook) {
  return { id, name, status: statusOf({ disabledReason }), key_id: secret.keyId };
}

export function statusOf({ disabledReason }: Pick<Webhook, "disabledReason">): "active" | "disabled" {
  return disabledReason === "" ? "active" : "disabled";
}

export function isOpen({ state }: Pick<Delivery, "state">): boolean {
  return state !== "delivered" && state !== "exhausted";
}

export function keptUntil({ state, updatedAt }: Delivery): number {
  return updatedAt + (state === "delivered" ? limits.webhookKeptMs : limits.webhookExhaustedKeptMs);
}

export function webhookMessage(webhook: Webhook, flow: Flow): Message {
  const { id, tenant, name, url, kinds, environment, disabledReason, signing, ordering } = webhook;
  const { maxInFlight, headerNames, publicKey, previous } = webhook;
  return {
    id,
    tenant_id: tenant,
    name,
    url,
    kinds,
    ...(environment !== "" && { environment }),
    status: statusOf(webhook),
    ...(disabledReason !== "" && { disabled_reason: disabledReason }),
    signing,
    ordering,
    max_in_flight: maxInFlight,
    header_names: headerNames,
    ...(flow.failingSince > 0 && { failing_since: toRfc3339(flow.failingSince) }),
    ...(flow.lastGap > 0 && { last_gap: toRfc3339(flow.lastGap) }),
    ...(publicKey !== "" && { public_key: publicKey }),
    ...(previous && { previous_secret_until: toRfc3339(previous.untilMs) }),
    ...stampsOf(webhook),
  };
}

export function deliveryMessage(delivery: Delivery, webhookId: string, body?: string): Message {
  const { id, eventId, kind, subject, state, attempts, nextAt, lastStatus, lastError } = delivery;
  return {
    id,
    webhook_id: webhookId,
    event_id: eventId,
    kind,
    subject,
    state,
    attempts,
    last_status: lastStatus,
    last_error: lastError,
    ...(state === "retry_wait" && { next_attempt_at: toRfc3339(nextAt) }),
    created_at: toRfc3339(delivery.createdAt),
    updated_at: toRfc3339(delivery.updatedAt),
    ...(body !== undefined && { body }),
  };
}

export interface Made {
  readonly record: Omit<Webhook, "createdAt" | "updatedAt" | "recordVersion">;
  readonly cursor: readonly number[];
}

/** What the handler adds to an update: the headers, encrypted, and from where events are taken after a time without. */
export interface Changes {
  readonly given: Message;
  readonly version?: number;
  readonly secret?: EncryptedSecret;
  readonly headerNames?: readonly string[];
  readonly cursor?: readonly number[];
}

export interface Rotation {
  readonly secret: EncryptedSecret;
  readonly publicKey: string;
  readonly overlapMs: number;
}

/** What a send needs to know just before. */
export interface OpenDelivery {
  readonly webhook: Webhook;
  readonly delivery: Delivery;
  readonly body: string;
}

export const createWebhook = contractMethod<Made, Message>("directory", "WebhookService.CreateWebhook");
export const getWebhook = contractMethod<object, Message>(webhookKind, "WebhookService.GetWebhook");
export const lookWebhook = method<object, Webhook>(webhookKind, "Look");
export const changeWebhook = method<Changes, Message>(webhookKind, "Change");
export const rotateWebhook = method<Rotation, Message>(webhookKind, "Rotate");
export const openDelivery = method<{ readonly id: string; readonly generation: number }, OpenDelivery | null>(
  webhookKind,
  "Open",
);
