import { isRefusal, toRfc3339 } from "#base";
import type { Context, Decision, StoredRow } from "#runtime";
import { byId, byIdIn, type Filter } from "../kit/collection.ts";
import { after, type Bounds, type List, listed, type PageRequest, pageOf, partOf } from "../kit/list.ts";
import { messageOf } from "../kit/message.ts";
import type { Message } from "../kit/record.ts";
import { deadLetters, deliveryMessage } from "./deliveries/record.ts";
import { fromRow } from "./deliveries/row.ts";
import { activityOf, rangeOf, refsOf, type Subscription, tables } from "./rows.ts";
import type { Event, State } from "./state.ts";
import {
  endpointMessage,
  noSubscriber,
  preferenceMessage,
  subscriberMessage,
  subscribers,
} from "./subscribers/record.ts";

/** A part of a list over all audiences. */
export interface ListPart {
  readonly filter: Filter;
  readonly after?: string;
  readonly most: number;
}

export function subscribersPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const { values, total } = subscribers.after(state.subscriberCounts, filter, context, after, most);
  return { events: [], answer: partOf(values.map(subscriberMessage), most, total) };
}

export function deadLettersPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const { values, total } = deadLetters.after(state.deadCounts, filter, context, after, most);
  return {
    events: [],
    answer: partOf(
      values.map((one) => messageOf(one)),
      most,
      total,
    ),
  };
}

/** Of one transaction, or of one subscriber. */
export function deliveriesPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const { transaction_id, subscriber_id } = filter as Readonly<Record<string, string | undefined>>;
  const of = subscriber_id ?? transaction_id!;
  const collection = subscriber_id === undefined ? tables.byTransaction : tables.bySubscriber;
  context.prefetch(
    subscriber_id === undefined ? [{ collection: tables.tallies, key: [of] }] : refsOf(subscriber_id),
  );
  const range = rangeOf(of, { limit: most, ...(after !== undefined && { after: [after] }) }, true);
  const keys = context.scan(collection, range).map(({ key }) => [key[1]] as const);
  if (subscriber_id !== undefined && !subscribers.get(subscriber_id, context)) return noSubscriber;
  const total =
    subscriber_id === undefined
      ? (state.open.get(of)?.tally.deliveries ?? context.get(tables.tallies, [of]) ?? 0)
      : activityOf(of, context).deliveries;
  const found = context.getMany(tables.deliveries, keys).flatMap((row) => (row ? [fromRow(row)] : []));
  return { events: [], answer: partOf(found.map(deliveryMessage), most, total) };
}

interface OfSubscriber extends PageRequest {
  readonly subscriber_id: string;
  readonly channel?: string;
}

export function listEndpoints(request: OfSubscriber, context: Context): Decision<Event> {
  const { subscriber_id: id, channel } = request;
  const subscriber = subscribers.get(id, context);
  if (!subscriber) return noSubscriber;
  const endpoints = subscriber.endpoints.filter((one) => channel === undefined || one.channel === channel);
  const list = inMemory(endpoints, ["endpoints", id, channel], context);
  return listed(
    "endpoints",
    pageOf(request, list, (endpoint) => endpointMessage(subscriber, endpoint)),
  );
}

export function listPreferences(request: OfSubscriber, context: Context): Decision<Event> {
  const { subscriber_id: id } = request;
  const subscriber = subscribers.get(id, context);
  if (!subscriber) return noSubscriber;
  return listed(
    "preferences",
    pageOf(request, inMemory(subscriber.preferences, ["preferences", id], context), preferenceMessage),
  );
}

/** What a subscriber's record has: all of it is in memory once the record is. */
function inMemory<Value extends { readonly id: string }>(
  values: readonly Value[],
  scope: readonly unknown[],
  { address }: Context,
) {
  const sorted = [...values].sort(byId());
  const read = (bounds: Bounds) => after(sorted, bounds, ({ id }, [last]) => id > last!);
  return { ...byIdIn<Value>([address.tenant, ...scope]), read };
}

export function listSubscriptions(request: OfSubscriber, context: Context): Decision<Event> {
  const { subscriber_id: id } = request;
  context.prefetch(refsOf(id));
  const read = (bounds: Bounds) => {
    const values = context.scan(tables.subscriptions, rangeOf(id, bounds));
    return { values, total: activityOf(id, context).subscriptions };
  };
  const list: List<StoredRow<Subscription, readonly [string, string]>> = {
    scope: [context.address.tenant, "subscriptions", id],
    shape: ["string"],
    positionOf: ({ key }) => [key[1]],
  };
  const page = pageOf(request, { ...list, read }, ({ key, value }) => subscriptionMessage(id, key[1], value));
  return isRefusal(page) || subscribers.get(id, context) ? listed("subscriptions", page) : noSubscriber;
}

export function subscriptionMessage(
  subscriberId: string,
  topicKey: string,
  { contextKeys, createdAt }: Subscription,
): Message {
  return {
    subscriber_id: subscriberId,
    topic_key: topicKey,
    context_keys: contextKeys,
    created_at: toRfc3339(createdAt),
  };
}
