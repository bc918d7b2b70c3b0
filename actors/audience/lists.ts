import { isRefusal, toRfc3339 } from "#base";
import type { ListEndpointsRequest, ListPreferencesRequest, ListSubscriptionsRequest } from "#protos";
import type { Context, StoredRow } from "#runtime";
import { byId, byIdIn } from "../kit/collection.ts";
import type { ListPart as RecordListPart } from "../kit/decide.ts";
import { after, type Bounds, type List, listed, pageOf, partOf } from "../kit/list.ts";
import { messageOf } from "../kit/message.ts";
import type { Message } from "../kit/record.ts";
import { deadLetters, deliveryMessage } from "./deliveries/record.ts";
import { fromRow } from "./deliveries/row.ts";
import { activityOf, rangeOf, refsOf, type Subscription, tables } from "./rows.ts";
import type { Decide } from "./state.ts";
import {
  endpointMessage,
  noSubscriber,
  preferenceMessage,
  subscriberMessage,
  subscribers,
} from "./subscribers/record.ts";

/** A part of a list over all audiences. */
type ListPart = Omit<RecordListPart, "type">;

export const subscribersPart: Decide<ListPart> = (state, { filter, after, most }, context) => {
  const { values, total } = subscribers.after(state.subscriberCounts, filter, context, after, most);
  return { events: [], answer: partOf(values.map(subscriberMessage), most, total) };
};

export const deadLettersPart: Decide<ListPart> = (state, { filter, after, most }, context) => {
  const { values, total } = deadLetters.after(state.deadCounts, filter, context, after, most);
  const shown = values.map((letter) => messageOf(letter));
  return { events: [], answer: partOf(shown, most, total) };
};

/** Of one transaction, or of one subscriber. */
export const deliveriesPart: Decide<ListPart> = (state, { filter, after, most }, context) => {
  const subscriberId = filter.subscriber_id?.toString();
  const of = subscriberId ?? String(filter.transaction_id);
  context.prefetch(subscriberId === undefined ? [{ collection: tables.tallies, key: [of] }] : refsOf(of));
  const range = rangeOf(of, { limit: most, ...(after !== undefined && { after: [after] }) }, true);
  const collection = subscriberId === undefined ? tables.byTransaction : tables.bySubscriber;
  const keys = context.scan(collection, range).map(({ key }) => [key[1]] as const);
  if (subscriberId !== undefined && !subscribers.get(subscriberId, context)) return noSubscriber;
  const total =
    subscriberId === undefined
      ? (state.open.get(of)?.tally.deliveries ?? context.get(tables.tallies, [of]) ?? 0)
      : activityOf(of, context).deliveries;
  const found = context.getMany(tables.deliveries, keys).flatMap((row) => (row ? [fromRow(row)] : []));
  return { events: [], answer: partOf(found.map(deliveryMessage), most, total) };
};

export const listEndpoints: Decide<ListEndpointsRequest> = (_state, request, context) => {
  const { subscriber_id: id, channel } = request;
  const subscriber = subscribers.get(id, context);
  if (!subscriber) return noSubscriber;
  const endpoints = subscriber.endpoints.filter((one) => channel === undefined || one.channel === channel);
  const list = inMemory(endpoints, ["endpoints", id, channel], context);
  return listed(
    "endpoints",
    pageOf(request, list, (endpoint) => endpointMessage(subscriber, endpoint)),
  );
};

export const listPreferences: Decide<ListPreferencesRequest> = (_state, request, context) => {
  const { subscriber_id: id } = request;
  const subscriber = subscribers.get(id, context);
  if (!subscriber) return noSubscriber;
  const list = inMemory(subscriber.preferences, ["preferences", id], context);
  return listed("preferences", pageOf(request, list, preferenceMessage));
};

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

export const listSubscriptions: Decide<ListSubscriptionsRequest> = (_state, request, context) => {
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
};

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
