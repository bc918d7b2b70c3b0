import { createHash } from "node:crypto";
import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { audienceOf } from "../notify/address.ts";
import type { Channel, JsonObject } from "../notify/outbound/types.ts";
import { bytesOf, type Card, cards, type Endpoint } from "./card.ts";
import { changed, toldOf } from "./card-changed.ts";
import { tables } from "./rows.ts";
import type { Event, Released, State } from "./state.ts";

export interface NewEndpoint {
  readonly subscriberId: string;
  readonly channel: Channel;
  readonly providerKey: string;
  readonly identity: string;
  readonly connectionId?: string;
  readonly verified?: boolean;
  readonly metadata?: JsonObject;
}

/** The claim commits first, and its outbox writes the card: no two cards have the same address. */
export function claimIdentity(state: State, endpoint: NewEndpoint, context: Context): Decision<Event> {
  const hash = identityHash(endpoint);
  const held = context.get(tables.identities, [hash]);
  const { subscriberId, channel } = endpoint;
  const taken = held !== null && held.subscriberId !== subscriberId;
  // A device has one user at a time: its token moves with it.
  if (taken && channel !== "push")
    return refuse("ALREADY_EXISTS", `another subscriber has this ${channel} address`, {
      reason: "ENDPOINT_TAKEN",
    });
  const endpointId = held && !taken ? held.endpointId : context.newId(handleOfCard(subscriberId));
  const events: Event[] = [{ type: "identity_put", hash, identity: { subscriberId, endpointId } }];
  if (held && taken)
    events.push({
      type: "message_sent",
      to: addressOf(state, held.subscriberId),
      message: { type: "endpoint_lost", subscriberId: held.subscriberId, endpointId: held.endpointId },
    });
  events.push({
    type: "message_sent",
    to: addressOf(state, subscriberId),
    message: { type: "endpoint_put", endpoint, endpointId },
  });
  return { events, answer: { endpoint_id: endpointId }, awaitDelivery: true };
}

function handleOfCard(subscriberId: string): string {
  return subscriberId.slice(10, 18);
}

function addressOf({ tenant }: State, subscriberId: string) {
  return { kind: "audience", tenant, key: handleOfCard(subscriberId) };
}

function identityHash({
  channel,
  providerKey,
  identity,
}: Pick<NewEndpoint, "channel" | "providerKey" | "identity">): string {
  return createHash("sha256").update(`${channel}\u0000${providerKey}\u0000${identity}`).digest("base64url");
}

/** Where an address is claimed. */
export function claimAddress(tenant: string, endpoint: Parameters<typeof identityHash>[0]) {
  return audienceOf(tenant, identityHash(endpoint));
}

/** Adds an address, or revives the one that is there. Where the card is full or gone, the claim is given back. */
export function putEndpoint(
  state: State,
  given: NewEndpoint,
  endpointId: string,
  context: Context,
): Decision<Event> {
  const card = cards.get(given.subscriberId, context);
  const hash = identityHash(given);
  const known = card?.endpoints.find((endpoint) => identityHash(endpoint) === hash);
  const active = card?.endpoints.filter((endpoint) => endpoint.active && endpoint !== known) ?? [];
  const { suppressed: _, ...before } = known ?? newEndpoint(given, endpointId, context.now);
  const { connectionId, verified, metadata } = given;
  const endpoint: Endpoint = {
    ...before,
    id: endpointId,
    ...(connectionId !== undefined && { connectionId }),
    ...(verified !== undefined && { verified }),
    ...(metadata !== undefined && { metadata }),
    active: true,
    lastUsedAt: context.now,
    updatedAt: context.now,
  };
  const others = room((card?.endpoints ?? []).filter((other) => other !== known));
  const next = card && { ...card, endpoints: [...others, endpoint] };
  if (!next || active.length >= limits.endpointsMax || bytesOf(next) > limits.cardBytesMax) {
    const message = { type: "identity_released", hash, endpointId };
    return { events: [{ type: "message_sent", to: claimAddress(state.tenant, given), message }] };
  }
  const payload = { ...toldOf(next), endpoint_id: endpoint.id, channel: endpoint.channel };
  return { events: [changed(card, next, context, { about: "endpoint", verb: "updated" }, payload)] };
}

/** Removed endpoints stay as long as there is room. */
function room(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  if (endpoints.length < limits.endpointsMax) return endpoints;
  const oldest = endpoints.find(({ active }) => !active);
  return endpoints.filter((endpoint) => endpoint !== oldest);
}

function newEndpoint(given: NewEndpoint, id: string, now: number): Endpoint {
  const { channel, providerKey, identity, connectionId, verified = false, metadata = {} } = given;
  return {
    id,
    channel,
    providerKey,
    identity,
    ...(connectionId !== undefined && { connectionId }),
    verified,
    metadata,
    lastUsedAt: now,
    active: true,
    createdAt: now,
    updatedAt: now,
  };
}

export function removeEndpoint(
  card: Card,
  endpointId: string,
  state: State,
  context: Context,
): Decision<Event> {
  const endpoint = card.endpoints.find(({ id }) => id === endpointId);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const answer = { id: endpointId, deleted: true };
  if (!endpoint.active) return { events: [], answer };
  const released: Released = {
    hash: identityHash(endpoint),
    endpointId,
    to: claimAddress(state.tenant, endpoint),
  };
  const event = withoutEndpoint(card, endpoint, context);
  return { events: [{ ...event, released: [released] }], answer };
}

/** Another subscriber has the address now. */
export function loseEndpoint(subscriberId: string, endpointId: string, context: Context): Decision<Event> {
  const card = cards.get(subscriberId, context);
  const endpoint = card?.endpoints.find(({ id, active }) => id === endpointId && active);
  return { events: card && endpoint ? [withoutEndpoint(card, endpoint, context)] : [] };
}

function withoutEndpoint(card: Card, endpoint: Endpoint, context: Context) {
  const removed = { ...endpoint, active: false, updatedAt: context.now };
  const endpoints = card.endpoints.map((other) => (other === endpoint ? removed : other));
  const payload = { ...toldOf(card), endpoint_id: endpoint.id, channel: endpoint.channel };
  return changed(
    card,
    { ...card, endpoints },
    context,
    { about: "endpoint", verb: "removed" },
    payload,
  ) as Extract<Event, { type: "card_put" }>;
}
