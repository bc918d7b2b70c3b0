import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../../kit/record.ts";
import type { ChannelPreference } from "../../notify/preference.ts";
import type { Event, State } from "../state.ts";
import { changed } from "./changed.ts";
import { type Link, openLink } from "./links.ts";
import {
  bytesOf,
  type Endpoint,
  endpointMessage,
  type PreferenceRow,
  type Subscriber,
  subscribers,
} from "./record.ts";

/** Someone has followed a link of a mail. */
export interface FollowLink {
  readonly token: string;
  readonly expected: Link["type"];
}

const noLink = refuse("NOT_FOUND", "there is nothing at this address");

export function followLink(state: State, { token, expected }: FollowLink, context: Context): Decision<Event> {
  const link = openLink(state.secret, token);
  if (link?.type !== expected || link.tenant !== state.tenant) return noLink;
  const subscriber = subscribers.get(link.subscriberId, context);
  if (!subscriber) return noLink;
  return link.type === "confirm"
    ? confirm(subscriber, link, context)
    : unsubscribe(subscriber, link, context);
}

function confirm(
  subscriber: Subscriber,
  { endpointId, nonce }: Extract<Link, { type: "confirm" }>,
  context: Context,
): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id }) => id === endpointId);
  const asked = endpoint?.confirmation;
  if (!endpoint?.active || asked?.nonce !== nonce || context.now >= asked.until)
    return refuse("STATE_CONFLICT", "this confirmation was used or replaced, or its 7 days are over");
  return { events: [verified(subscriber, endpoint, context)], answer: {} };
}

/** By the caller's word. */
export function verifyEndpoint(
  subscriber: Subscriber,
  endpointId: string,
  context: Context,
): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id, active }) => id === endpointId && active);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const event = verified(subscriber, endpoint, context);
  const after = event.after.endpoints.find(({ id }) => id === endpointId)!;
  return { events: [event], answer: endpointMessage(subscriber, after) };
}

function verified(subscriber: Subscriber, endpoint: Endpoint, context: Context) {
  const { confirmation: _, ...rest } = endpoint;
  const next = { ...rest, verified: true, updatedAt: context.now };
  const endpoints = subscriber.endpoints.map((other) => (other === endpoint ? next : other));
  const { id: endpoint_id, channel } = endpoint;
  const published = { about: "endpoint", verb: "updated", endpoint_id, channel } as const;
  return changed(subscriber, { ...subscriber, endpoints }, context, published);
}

/**
 * No more mails of this workflow: layer 4, or of a topic layer 5, whatever context keys its rows have. Repeats change nothing.
 */
function unsubscribe(
  subscriber: Subscriber,
  { workflowKey, topicKey }: Extract<Link, { type: "unsubscribe" }>,
  context: Context,
): Decision<Event> {
  const isOf = (row: PreferenceRow) => row.workflowKey === workflowKey && (row.topicKey ?? "") === topicKey;
  const off: ChannelPreference = { enabled: false };
  const without = (row: PreferenceRow): PreferenceRow => ({
    ...row,
    settings: { ...row.settings, channels: { ...row.settings.channels, email: off } },
    updatedAt: context.now,
  });
  const rows = subscriber.preferences.filter(isOf);
  const isOff = ({ settings }: PreferenceRow) =>
    settings.channels?.email?.enabled === false && settings.channels.email.condition === undefined;
  const hasOwn = rows.some(({ contextKeys }) => contextKeys.length === 0);
  if (hasOwn && rows.every(isOff)) return { events: [], answer: {} };
  const made: PreferenceRow[] = hasOwn
    ? []
    : [
        {
          id: context.newId(context.address.key),
          workflowKey,
          ...(topicKey !== "" && { topicKey }),
          contextKeys: [],
          settings: { channels: { email: off } },
          createdAt: context.now,
          updatedAt: context.now,
        },
      ];
  const preferences = [...subscriber.preferences.map((row) => (isOf(row) ? without(row) : row)), ...made];
  const next = { ...subscriber, preferences };
  if (preferences.length > limits.preferencesMax || bytesOf(next) > limits.subscriberBytesMax)
    return limitReached("a subscriber", limits.preferencesMax, "preferences");
  const preference_id = (made[0] ?? rows[0]!).id;
  const published = { about: "preference", verb: "updated", preference_id } as const;
  return { events: [changed(subscriber, next, context, published)], answer: {} };
}
