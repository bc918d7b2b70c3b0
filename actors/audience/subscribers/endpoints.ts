import { createHash } from "node:crypto";
import { handleOfChild, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { audienceOf } from "../../notify/address.ts";
import { bytesOf } from "../../notify/length.ts";
import type { Channel, JsonObject } from "../../notify/outbound/types.ts";
import { tables } from "../rows.ts";
import type { Decide, Event, State } from "../state.ts";
import { withEndpoint } from "./changed.ts";
import { type Endpoint, type Subscriber, subscribers } from "./record.ts";

export interface NewEndpoint {
  readonly subscriberId: string;
  readonly channel: Channel;
  readonly providerKey: string;
  readonly identity: string;
  readonly connectionId?: string;
  readonly verified?: boolean;
  readonly metadata?: JsonObject;
}

/** The claim commits first, and its outbox writes the subscriber: no two subscribers have the same address. */
export const claimIdentity: Decide<{ readonly endpoint: NewEndpoint }> = (state, { endpoint }, context) => {
  const hash = identityHash(endpoint);
  const held = context.get(tables.identities, [hash]);
  const { subscriberId, channel } = endpoint;
  const taken = held !== null && held.subscriberId !== subscriberId;
  // A device has one user at a time: its token moves with it.
  if (taken && channel !== "push")
    return refuse("ALREADY_EXISTS", `another subscriber has this ${channel} address`, {
      reason: "ENDPOINT_TAKEN",
    });
  const endpointId = held && !taken ? held.endpointId : context.newId(handleOfChild(subscriberId));
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
};

function addressOf({ tenant }: State, subscriberId: string) {
  return { kind: "audience", tenant, key: handleOfChild(subscriberId) };
}

type Address = Pick<NewEndpoint, "channel" | "providerKey" | "identity">;

function identityHash({ channel, providerKey, identity }: Address): string {
  return createHash("sha256").update(`${channel}\u0000${providerKey}\u0000${identity}`).digest("base64url");
}

/** Where an address is claimed. */
export function claimAddress(tenant: string, endpoint: Address) {
  return audienceOf(tenant, identityHash(endpoint));
}

/** Between the audience where an address is claimed and that of its subscriber. */
export type EndpointMessage =
  | { readonly type: "endpoint_put"; readonly endpoint: NewEndpoint; readonly endpointId: string }
  | { readonly type: "endpoint_lost"; readonly subscriberId: string; readonly endpointId: string }
  | { readonly type: "identity_released"; readonly hash: string; readonly endpointId: string };

export function onEndpoint(state: State, message: EndpointMessage, context: Context): Decision<Event> {
  switch (message.type) {
    case "endpoint_put":
      return putEndpoint(state, message.endpoint, message.endpointId, context);
    case "endpoint_lost":
      return loseEndpoint(message.subscriberId, message.endpointId, context);
    case "identity_released": {
      const { hash, endpointId } = message;
      const isOwn = context.get(tables.identities, [hash])?.endpointId === endpointId;
      return { events: isOwn ? [{ type: "identity_put", hash, identity: null }] : [] };
    }
  }
}

/** Adds an address, or revives the one that is there. Where the subscriber is full or gone, the claim is given back. */
function putEndpoint(
  state: State,
  given: NewEndpoint,
  endpointId: string,
  context: Context,
): Decision<Event> {
  const subscriber = subscribers.get(given.subscriberId, context);
  const hash = identityHash(given);
  const known = subscriber?.endpoints.find((endpoint) => identityHash(endpoint) === hash);
  const active = subscriber?.endpoints.filter((endpoint) => endpoint.active && endpoint !== known) ?? [];
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
  const event =
    subscriber && active.length < limits.endpointsMax
      ? withEndpoint(withRoom(subscriber, known), known, endpoint, context, "updated")
      : undefined;
  const fits = event && bytesOf(event.after) <= limits.subscriberBytesMax;
  return { events: [fits ? { ...event, before: subscriber } : released(state, given, endpointId)] };
}
/** To where its address is claimed. */
function released({ tenant }: State, endpoint: Address, endpointId: string): Event {
  const message = { type: "identity_released", hash: identityHash(endpoint), endpointId };
  return { type: "message_sent", to: claimAddress(tenant, endpoint), message };
}

/** Removed endpoints stay as long as there is room. */
function withRoom(subscriber: Subscriber, known: Endpoint | undefined): Subscriber {
  const others = subscriber.endpoints.filter((other) => other !== known);
  if (others.length < limits.endpointsMax) return subscriber;
  const oldest = others.find(({ active }) => !active);
  return { ...subscriber, endpoints: subscriber.endpoints.filter((endpoint) => endpoint !== oldest) };
}

export function newEndpoint({ channel, providerKey, identity }: Address, id: string, now: number): Endpoint {
  const times = { lastUsedAt: now, createdAt: now, updatedAt: now };
  return { id, channel, providerKey, identity, verified: false, metadata: {}, active: true, ...times };
}

export function removed(
  subscriber: Subscriber,
  endpointId: string,
  state: State,
  context: Context,
): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id }) => id === endpointId);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const answer = { id: endpointId, deleted: true };
  if (!endpoint.active) return { events: [], answer };
  return {
    events: [withoutEndpoint(subscriber, endpoint, context), released(state, endpoint, endpointId)],
    answer,
  };
}

/** Another subscriber has the address now. */
function loseEndpoint(subscriberId: string, endpointId: string, context: Context): Decision<Event> {
  const subscriber = subscribers.get(subscriberId, context);
  const endpoint = subscriber?.endpoints.find(({ id, active }) => id === endpointId && active);
  return { events: subscriber && endpoint ? [withoutEndpoint(subscriber, endpoint, context)] : [] };
}

function withoutEndpoint(subscriber: Subscriber, endpoint: Endpoint, context: Context) {
  const inactive = { ...endpoint, active: false, updatedAt: context.now };
  return withEndpoint(subscriber, endpoint, inactive, context, "removed");
}
