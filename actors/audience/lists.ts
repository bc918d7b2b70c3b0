import { isRefusal, toRfc3339 } from "#base";
import type { Context, Decision, RangeRef } from "#runtime";
import { cutToBytes, type PageRequest, pageBounds, sealCursor } from "../kit/cursor.ts";
import type { Filter } from "../kit/old-collection.ts";
import type { Message } from "../kit/record.ts";
import { secretOf } from "../kit/state.ts";
import { type Card, cards, endpointMessage, preferenceMessage, subscriberMessage } from "./card.ts";
import { type Delivery, deadLetterMessage, deadLetters, deliveryMessage } from "./delivery.ts";
import { noSubscriber } from "./inbox.ts";
import { Reads } from "./reads.ts";
import type { Event, State, Subscription } from "./state.ts";

/** A part of a list over all audiences. */
export interface ListPart {
  readonly filter: Filter;
  readonly after?: string;
  readonly most: number;
}

export function cardsPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const part = cards.after(state.cardCounts, filter, context, after, most);
  if ("need" in part) return part;
  return partOf(part.values.map(subscriberMessage), most, part.total);
}

export function deadLettersPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const part = deadLetters.after(state.deadCounts, filter, context, after, most);
  if ("need" in part) return part;
  return partOf(part.values.map(deadLetterMessage), most, part.total);
}

/** Of one transaction, or of one subscriber. */
export function deliveriesPart(
  state: State,
  { filter, after, most }: ListPart,
  context: Context,
): Decision<Event> {
  const reads = new Reads(context);
  const { transaction_id: transactionId, subscriber_id: subscriberId } = filter as Record<string, string>;
  const of = subscriberId ?? transactionId!;
  const range: RangeRef = {
    collection: subscriberId === undefined ? "by_transaction" : "by_subscriber",
    prefix: [of],
    reverse: true,
    limit: most,
    ...(after !== undefined && { to: [of, after] }),
  };
  const rows = reads.range(range).map(({ key }) => reads.delivery(key[1] as string));
  const total =
    subscriberId === undefined
      ? (state.open.get(of)?.tally.deliveries ?? reads.row<number>("tallies", of) ?? 0)
      : reads.activity(of).deliveries;
  if (subscriberId !== undefined && reads.card(subscriberId) === null) return reads.need ?? noSubscriber();
  if (reads.need) return reads.need;
  const found = rows.filter((delivery): delivery is Delivery => delivery !== null);
  return partOf(found.map(deliveryMessage), most, total);
}

function partOf(messages: readonly Message[], most: number, total: number): Decision<Event> {
  const values = cutToBytes(messages);
  const more = values.length < messages.length || values.length === most;
  return { events: [], answer: { values, more, total } };
}

type CardList = "endpoints" | "preferences";

/** What a card has: all of it is in memory once the card is. */
export function listOfCard(
  state: State,
  list: CardList,
  request: PageRequest & { readonly subscriber_id: string; readonly channel?: string },
  context: Context,
): Decision<Event> {
  const { subscriber_id: id, channel } = request;
  const card = cards.get(id, context);
  if (card === undefined) return cards.need(id);
  if (card === null) return noSubscriber();
  const scope = [state.tenant, list, id, channel];
  const bounds = pageBounds(request, state.secret, scope);
  if (isRefusal(bounds)) return bounds;
  const all = list === "endpoints" ? endpointsOf(card, channel) : card.preferences.map(preferenceMessage);
  const sorted = [...all].sort((a, b) => ((a.id as string) < (b.id as string) ? -1 : 1));
  const after = bounds.after?.[0] as string | undefined;
  const rest = sorted.filter((message) => after === undefined || (message.id as string) > after);
  const shown = rest.slice(bounds.offset, bounds.offset + bounds.size);
  const more = rest.length > bounds.offset + bounds.size;
  const { secret, drawn } = secretOf(state, context);
  return {
    events: more ? drawn : [],
    answer: {
      [list]: shown,
      next_page_token: more ? sealCursor(secret, scope, [shown.at(-1)!.id as string]) : "",
      total: all.length,
    },
  };
}

function endpointsOf(card: Card, channel: string | undefined): readonly Message[] {
  return card.endpoints
    .filter((endpoint) => channel === undefined || endpoint.channel === channel)
    .map((endpoint) => endpointMessage(card, endpoint));
}

export function listSubscriptions(
  state: State,
  request: PageRequest & { readonly subscriber_id: string },
  context: Context,
): Decision<Event> {
  const { subscriber_id: id } = request;
  const scope = [state.tenant, "subscriptions", id];
  const bounds = pageBounds(request, state.secret, scope);
  if (isRefusal(bounds)) return bounds;
  const reads = new Reads(context);
  const card = reads.card(id);
  const activity = reads.activity(id);
  const from = bounds.after ? { from: [id, `${bounds.after[0]}\u0000`] } : {};
  const limit = bounds.offset + bounds.size + 1;
  const rows = reads.range({ collection: "subscriptions", prefix: [id], limit, ...from });
  if (reads.need) return reads.need;
  if (!card) return noSubscriber();
  const shown = rows.slice(bounds.offset, bounds.offset + bounds.size);
  const more = rows.length > bounds.offset + bounds.size;
  const { secret, drawn } = secretOf(state, context);
  return {
    events: more ? drawn : [],
    answer: {
      subscriptions: shown.map(({ key, value }) =>
        subscriptionMessage(id, key[1] as string, value as Subscription),
      ),
      next_page_token: more ? sealCursor(secret, scope, [shown.at(-1)!.key[1] as string]) : "",
      total: activity.subscriptions,
    },
  };
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
