import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached } from "../kit/record.ts";
import type { ChannelPreference } from "../notify/preference.ts";
import { bytesOf, type Card, cards, type Endpoint, endpointMessage, type PreferenceRow } from "./card.ts";
import { changed, toldOf } from "./card-changed.ts";
import { type Link, openLink } from "./links.ts";
import type { Event, State } from "./state.ts";

/** Someone has followed a link of a mail. */
export interface FollowLink {
  readonly token: string;
  readonly expected: Link["type"];
}

const noLink = refuse("NOT_FOUND", "there is nothing at this address");

export function followLink(state: State, { token, expected }: FollowLink, context: Context): Decision<Event> {
  const link = openLink(state.secret, token);
  if (link?.type !== expected || link.tenant !== state.tenant) return noLink;
  const card = cards.get(link.subscriberId, context);
  if (!card) return noLink;
  return link.type === "confirm" ? confirm(card, link, context) : unsubscribe(card, link, context);
}

function confirm(
  card: Card,
  { endpointId, nonce }: Extract<Link, { type: "confirm" }>,
  context: Context,
): Decision<Event> {
  const endpoint = card.endpoints.find(({ id }) => id === endpointId);
  const asked = endpoint?.confirmation;
  if (!endpoint?.active || asked?.nonce !== nonce || context.now >= asked.until)
    return refuse("STATE_CONFLICT", "this confirmation was used or replaced, or its 7 days are over");
  return { events: [verified(card, endpoint, context)], answer: {} };
}

/** By the caller's word. */
export function verifyEndpoint(card: Card, endpointId: string, context: Context): Decision<Event> {
  const endpoint = card.endpoints.find(({ id, active }) => id === endpointId && active);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const event = verified(card, endpoint, context);
  const after = event.after.endpoints.find(({ id }) => id === endpointId)!;
  return { events: [event], answer: endpointMessage(card, after) };
}

function verified(card: Card, endpoint: Endpoint, context: Context) {
  const { confirmation: _, ...rest } = endpoint;
  const next = { ...rest, verified: true, updatedAt: context.now };
  const endpoints = card.endpoints.map((other) => (other === endpoint ? next : other));
  const payload = { ...toldOf(card), endpoint_id: endpoint.id, channel: endpoint.channel };
  return changed(
    card,
    { ...card, endpoints },
    context,
    { about: "endpoint", verb: "updated" },
    payload,
  ) as Extract<Event, { type: "card_put" }>;
}

/**
 * No more mails of this workflow: layer 4, or of a topic layer 5, whatever context keys its rows have. Repeats change nothing.
 */
function unsubscribe(
  card: Card,
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
  const rows = card.preferences.filter(isOf);
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
  const preferences = [...card.preferences.map((row) => (isOf(row) ? without(row) : row)), ...made];
  const next = { ...card, preferences };
  if (preferences.length > limits.preferencesMax || bytesOf(next) > limits.cardBytesMax)
    return limitReached("a subscriber", limits.preferencesMax, "preferences");
  const told = { ...toldOf(card), preference_id: (made[0] ?? rows[0]!).id };
  return {
    events: [changed(card, next, context, { about: "preference", verb: "updated" }, told)],
    answer: {},
  };
}
