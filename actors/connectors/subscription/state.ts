import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
import type { EventTable } from "../../kit/table.ts";
import type { Connection } from "../connection/record.ts";
import type { Incoming, Pending, Polling, Subscription } from "./record.ts";

/** The part of a connection that is about its subscriptions. */
export interface Triggers {
  readonly subscriptions: Map<string, Subscription>;
  readonly polling: Map<string, Polling>;
  /** By subscription and delivery: events that wait for their target; their bodies are rows. */
  readonly pending: Map<string, Map<string, Pending>>;
  pendingCount: number;
  /** By subscription: when the next event may come, by its limit; forgotten when the entity leaves memory. */
  readonly paceMs: Map<string, number>;
}

export type TriggerEvent =
  | { readonly type: "subscription_put"; readonly subscription: Subscription }
  | { readonly type: "subscription_forgotten"; readonly id: string }
  | {
      readonly type: "events_received";
      readonly id: string;
      readonly events: readonly (Incoming & { readonly delivery: string })[];
      /** Known ones that a list still has, with when they were last seen: they stay known. */
      readonly touched?: readonly { readonly id: string; readonly seenAt: number }[];
      readonly paceMs?: number;
    }
  | { readonly type: "poll_put"; readonly id: string; readonly polling: Polling; readonly pollAt?: number }
  | {
      readonly type: "delivery_put";
      readonly id: string;
      readonly delivery: string;
      readonly pending: Pending;
      readonly dueMs: number;
    }
  | {
      readonly type: "delivery_ended";
      readonly id: string;
      readonly delivery: string;
      /** Why it did not come through. */
      readonly dropped?: string;
    }
  | { readonly type: "seen_forgotten"; readonly rows: readonly SeenKey[] };

/** What is done outside for a connection; its kind is `connector_<what>`. */
export interface AskedEffect {
  readonly what: "connect" | "refresh" | "check" | "revoke" | "poll" | "deliver";
  readonly id: string;
  readonly dueMs: number;
  readonly body?: object;
}

/** Each has a lane of its own, not that of the calls: they may all be waiting for it. */
export function askEffect(
  record: Connection,
  { what, id, dueMs, body = {} }: AskedEffect,
  rows: RowWriter,
): void {
  rows.effect(id, { kind: `connector_${what}`, lane: `${record.id}:${what}`, dueMs, body });
}

const subscriptionRows = rowsOf<Subscription>("subscriptions");
const pollingRows = rowsOf<Polling>("polling");
const pendingRows = rowsOf<Pending, DeliveryKey>("pending");
export const triggersResident = [subscriptionRows, pollingRows, pendingRows];
/** When an event was last seen. `seen_at` has the same by time. */
export const seen = rowsOf<number, readonly [subscription: string, event: string]>("seen");
export const seenAt = rowsOf<0, SeenKey>("seen_at");
/** The events. */
export const deliveries = rowsOf<unknown, DeliveryKey>("deliveries");

type DeliveryKey = readonly [subscription: string, delivery: string];
type SeenKey = readonly [at: number, subscription: string, event: string];

export function noTriggers(): Triggers {
  return {
    subscriptions: new Map(),
    polling: new Map(),
    pending: new Map(),
    pendingCount: 0,
    paceMs: new Map(),
  };
}

/** False where the row is of another part of the connection. */
export function restoreTriggers(triggers: Triggers, row: StoredRow): boolean {
  if (isRowOf(row, subscriptionRows)) triggers.subscriptions.set(row.key[0], row.value);
  else if (isRowOf(row, pollingRows)) triggers.polling.set(row.key[0], row.value);
  else if (isRowOf(row, pendingRows)) putPending(triggers, ...row.key, row.value);
  else return false;
  return true;
}

function putPending(triggers: Triggers, id: string, delivery: string, pending: Pending): void {
  const of = triggers.pending.get(id) ?? new Map<string, Pending>();
  triggers.pending.set(id, of);
  if (!of.has(delivery)) triggers.pendingCount++;
  of.set(delivery, pending);
}

/** The connection as far as its subscriptions need it. */
interface Subscribed {
  readonly record?: Connection;
  readonly triggers: Triggers;
}

export const triggerEvents: EventTable<Subscribed, TriggerEvent> = {
  subscription_put: ({ triggers, record }, { subscription }, rows) =>
    putSubscription(triggers, record!, subscription, rows),
  subscription_forgotten: ({ triggers, record }, { id }, rows) =>
    forgetSubscription(triggers, record!, id, rows),
  events_received: ({ triggers, record }, event, rows) => receive(triggers, record!, event, rows),
  poll_put({ triggers }, { id, polling, pollAt }, rows) {
    triggers.polling.set(id, polling);
    rows.put(pollingRows, [id], polling);
    if (pollAt !== undefined) rows.setTimer(`poll:${id}`, pollAt);
    else rows.clearTimer(`poll:${id}`);
  },
  delivery_put: ({ triggers, record }, event, rows) => putDelivery(triggers, record!, event, rows),
  delivery_ended({ triggers, record }, { id, delivery, dropped }, rows) {
    const pending = triggers.pending.get(id)?.get(delivery);
    if (pending === undefined) return;
    triggers.pending.get(id)!.delete(delivery);
    triggers.pendingCount--;
    rows.delete(pendingRows, [id, delivery]);
    rows.delete(deliveries, [id, delivery]);
    if (dropped !== undefined)
      publish(triggers, record!, "dropped", { id, eventId: pending.eventId, reason: dropped }, rows);
  },
  seen_forgotten(_state, event, rows) {
    for (const [at, id, eventId] of event.rows) {
      rows.delete(seenAt, [at, id, eventId]);
      rows.delete(seen, [id, eventId]);
    }
  },
};

function putSubscription(triggers: Triggers, record: Connection, next: Subscription, rows: RowWriter): void {
  const { id, status, keyId, triggerKey: name } = next;
  const before = triggers.subscriptions.get(id);
  triggers.subscriptions.set(id, next);
  rows.put(subscriptionRows, [id], next);
  const to = directoryOf(record.tenant, "trigger_subscription");
  if (before === undefined) {
    const { environment, id: connection_id } = record;
    const entry = { id, name, status, connection_id, environment, key_id: keyId };
    rows.send(to, { type: "noted", entry } satisfies DirectoryMessage);
  } else if (before.status !== status || before.keyId !== keyId)
    rows.send(to, { type: "changed", id, status, key_id: keyId } satisfies DirectoryMessage);
}

/** Effects that are under way for it find nothing any more. */
function forgetSubscription(triggers: Triggers, record: Connection, id: string, rows: RowWriter): void {
  triggers.pendingCount -= triggers.pending.get(id)?.size ?? 0;
  for (const map of [triggers.subscriptions, triggers.polling, triggers.pending, triggers.paceMs])
    map.delete(id);
  for (const collection of [...triggersResident, deliveries, seen]) rows.deletePrefix(collection, [id]);
  rows.clearTimer(`poll:${id}`);
  rows.send(directoryOf(record.tenant, "trigger_subscription"), { type: "deleted", id });
}

function receive(
  triggers: Triggers,
  record: Connection,
  { id, events, touched = [], paceMs }: Extract<TriggerEvent, { type: "events_received" }>,
  rows: RowWriter,
): void {
  const { now } = rows;
  const subscription = triggers.subscriptions.get(id)!;
  const { target } = subscription;
  if (paceMs !== undefined) triggers.paceMs.set(id, paceMs);
  for (const known of touched) {
    rows.delete(seenAt, [known.seenAt, id, known.id]);
    rows.put(seenAt, [now, id, known.id], 0);
    rows.put(seen, [id, known.id], now);
  }
  for (const { id: eventId, type, event, delivery } of events) {
    rows.put(seen, [id, eventId], now);
    rows.put(seenAt, [now, id, eventId], 0);
    // Without a delivery it is of the first poll: it is only noted.
    if (delivery === "") continue;
    publish(triggers, record, "fired", { id, eventId }, rows);
    if (target.pool_id === undefined && target.workflow_key === undefined) continue;
    rows.put(deliveries, [id, delivery], event);
    const pending: Pending = { eventId, type, receivedAt: now, attempt: 1 };
    putDelivery(triggers, record, { id, delivery, pending, dueMs: now }, rows);
  }
  if (events.every(({ delivery }) => delivery === "")) return;
  triggers.subscriptions.set(id, { ...subscription, lastEventAt: now });
  rows.put(subscriptionRows, [id], { ...subscription, lastEventAt: now });
}

function putDelivery(
  triggers: Triggers,
  record: Connection,
  { id, delivery, pending, dueMs }: Omit<Extract<TriggerEvent, { type: "delivery_put" }>, "type">,
  rows: RowWriter,
): void {
  putPending(triggers, id, delivery, pending);
  rows.put(pendingRows, [id, delivery], pending);
  const effect = `deliver.${id}.${delivery}.${pending.attempt}`;
  askEffect(record, { what: "deliver", id: effect, dueMs, body: { subscription: id, delivery } }, rows);
}

function publish(
  { subscriptions }: Triggers,
  record: Connection,
  kind: "fired" | "dropped",
  { id, eventId, reason }: { readonly id: string; readonly eventId: string; readonly reason?: string },
  rows: RowWriter,
): void {
  rows.publish(`connector_trigger.${kind}`, id, {
    connection_id: record.id,
    trigger_key: subscriptions.get(id)?.triggerKey ?? "",
    event_id: eventId,
    ...(reason !== undefined && { reason }),
  });
}

/** With its connection. */
export function forgetTriggers(triggers: Triggers, record: Connection, rows: RowWriter): void {
  for (const id of [...triggers.subscriptions.keys()]) forgetSubscription(triggers, record, id, rows);
  for (const collection of [...triggersResident, deliveries, seen, seenAt]) rows.deletePrefix(collection, []);
  rows.clearTimer("seen");
}
