import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type DirectoryMessage, directoryOf } from "../../kit/directory.ts";
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
  | { readonly type: "poll_due"; readonly id: string }
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
  | { readonly type: "seen_forgotten"; readonly rows: readonly SeenKey[] }
  | { readonly type: "seen_due"; readonly atMs: number };

const triggerEvents: ReadonlySet<string> = new Set<TriggerEvent["type"]>([
  "subscription_put",
  "subscription_forgotten",
  "events_received",
  "poll_put",
  "poll_due",
  "delivery_put",
  "delivery_ended",
  "seen_forgotten",
  "seen_due",
]);

export function isTriggerEvent(event: { readonly type: string }): event is TriggerEvent {
  return triggerEvents.has(event.type);
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
  let of = triggers.pending.get(id);
  if (of === undefined) {
    of = new Map();
    triggers.pending.set(id, of);
  }
  if (!of.has(delivery)) triggers.pendingCount++;
  of.set(delivery, pending);
}

export function applyTrigger(
  triggers: Triggers,
  record: Connection,
  event: TriggerEvent,
  rows: RowWriter,
): void {
  switch (event.type) {
    case "subscription_put":
      putSubscription(triggers, record, event.subscription, rows);
      return;
    case "subscription_forgotten":
      forgetSubscription(triggers, record, event.id, rows);
      return;
    case "events_received":
      receive(triggers, record, event, rows);
      return;
    case "poll_put": {
      const { id, polling, pollAt } = event;
      triggers.polling.set(id, polling);
      rows.put(pollingRows, [id], polling);
      if (pollAt !== undefined) rows.setTimer(`poll:${id}`, pollAt);
      else rows.clearTimer(`poll:${id}`);
      return;
    }
    case "poll_due": {
      const { generation } = triggers.polling.get(event.id)!;
      rows.effect(`poll.${event.id}.${generation}`, {
        kind: "connector_poll",
        lane: `${record.id}:poll`,
        dueMs: rows.now,
        body: { subscription: event.id },
      });
      return;
    }
    case "delivery_put":
      putDelivery(triggers, record, event, rows);
      return;
    case "delivery_ended": {
      const { id, delivery, dropped } = event;
      const pending = triggers.pending.get(id)?.get(delivery);
      if (pending === undefined) return;
      triggers.pending.get(id)!.delete(delivery);
      triggers.pendingCount--;
      rows.delete(pendingRows, [id, delivery]);
      rows.delete(deliveries, [id, delivery]);
      if (dropped !== undefined)
        publish(triggers, record, { kind: "dropped", id, eventId: pending.eventId, reason: dropped }, rows);
      return;
    }
    case "seen_forgotten":
      for (const [at, id, eventId] of event.rows) {
        rows.delete(seenAt, [at, id, eventId]);
        rows.delete(seen, [id, eventId]);
      }
      return;
    case "seen_due":
      rows.setTimer("seen", event.atMs);
      return;
  }
}

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
    publish(triggers, record, { kind: "fired", id, eventId }, rows);
    if (target.pool_id === undefined && target.workflow_key === undefined) continue;
    rows.put(deliveries, [id, delivery], event);
    const pending: Pending = { eventId, type, receivedAt: now, attempt: 1 };
    putDelivery(triggers, record, { id, delivery, pending, dueMs: now }, rows);
  }
  if (events.some(({ delivery }) => delivery !== "")) {
    triggers.subscriptions.set(id, { ...subscription, lastEventAt: now });
    rows.put(subscriptionRows, [id], { ...subscription, lastEventAt: now });
  }
}

function putDelivery(
  triggers: Triggers,
  record: Connection,
  { id, delivery, pending, dueMs }: Omit<Extract<TriggerEvent, { type: "delivery_put" }>, "type">,
  rows: RowWriter,
): void {
  putPending(triggers, id, delivery, pending);
  rows.put(pendingRows, [id, delivery], pending);
  rows.effect(`deliver.${id}.${delivery}.${pending.attempt}`, {
    kind: "connector_deliver",
    lane: `${record.id}:deliver`,
    dueMs,
    body: { subscription: id, delivery },
  });
}

interface Published {
  readonly kind: "fired" | "dropped";
  readonly id: string;
  readonly eventId: string;
  readonly reason?: string;
}

function publish({ subscriptions }: Triggers, record: Connection, event: Published, rows: RowWriter): void {
  rows.publish(`connector_trigger.${event.kind}`, event.id, {
    connection_id: record.id,
    trigger_key: subscriptions.get(event.id)?.triggerKey ?? "",
    event_id: event.eventId,
    ...(event.reason !== undefined && { reason: event.reason }),
  });
}

/** With its connection. */
export function forgetTriggers(triggers: Triggers, record: Connection, rows: RowWriter): void {
  for (const id of [...triggers.subscriptions.keys()]) forgetSubscription(triggers, record, id, rows);
  for (const collection of [...triggersResident, deliveries, seen, seenAt]) rows.deletePrefix(collection, []);
  rows.clearTimer("seen");
}

export function waitingOf({ pending }: Triggers, id: string): number {
  return pending.get(id)?.size ?? 0;
}
