import { limits, refuse } from "#base";
import type { ChannelPreference } from "#protos";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../../kit/record.ts";
import { bytesOf } from "../../notify/length.ts";
import type { Decide, Event } from "../state.ts";
import { changed, withEndpoint } from "./changed.ts";
import { type Link, openLink } from "./links.ts";
import {
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

export const followLink: Decide<FollowLink> = (state, { token, expected }, context) => {
  const link = openLink(state.secret, token);
  if (link?.type !== expected || link.tenant !== state.tenant) return noLink;
  const subscriber = subscribers.get(link.subscriberId, context);
  if (!subscriber) return noLink;
  return link.type === "confirm"
    ? confirm(subscriber, link, context)
    : unsubscribe(subscriber, link, context);
};

function confirm(
  subscriber: Subscriber,
  { endpointId, nonce }: Extract<Link, { type: "confirm" }>,
  context: Context,
): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id }) => id === endpointId);
  const asked = endpoint?.confirmation;
  if (!endpoint?.active || asked?.nonce !== nonce || context.now >= asked.until)
    return refuse("STATE_CONFLICT", "this confirmation was used or replaced, or its 7 days are over");
  return { events: [withVerified(subscriber, endpoint, context)], answer: {} };
}

/** By the caller's word. */
export function verified(subscriber: Subscriber, endpointId: string, context: Context): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id, active }) => id === endpointId && active);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const event = withVerified(subscriber, endpoint, context);
  const after = event.after.endpoints.find(({ id }) => id === endpointId)!;
  return { events: [event], answer: endpointMessage(subscriber, after) };
}

function withVerified(subscriber: Subscriber, endpoint: Endpoint, context: Context) {
  const { confirmation: _, ...rest } = endpoint;
  const next = { ...rest, verified: true, updatedAt: context.now };
  return withEndpoint(subscriber, endpoint, next, context, "updated");
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
  const own: PreferenceRow = {
    id: context.newId(context.address.key),
    workflowKey,
    ...(topicKey !== "" && { topicKey }),
    contextKeys: [],
    settings: { channels: { email: off } },
    createdAt: context.now,
    updatedAt: context.now,
  };
  const made = hasOwn ? [] : [own];
  const preferences = [...subscriber.preferences.map((row) => (isOf(row) ? without(row) : row)), ...made];
  const next = { ...subscriber, preferences };
  if (preferences.length > limits.preferencesMax || bytesOf(next) > limits.subscriberBytesMax)
    return limitReached("a subscriber", limits.preferencesMax, "preferences");
  const preference_id = (made[0] ?? rows[0]!).id;
  const event = changed(subscriber, next, context, "preference", "updated", { preference_id });
  return { events: [event], answer: {} };
}
