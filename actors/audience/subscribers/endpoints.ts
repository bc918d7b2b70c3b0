import { createHash } from "node:crypto";
import { handleOfChild, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { audienceOf } from "../../notify/address.ts";
import type { Channel, JsonObject } from "../../notify/outbound/types.ts";
import { tables } from "../rows.ts";
import type { Event, Released, State } from "../state.ts";
import { changed } from "./changed.ts";
import { bytesOf, type Endpoint, type Subscriber, subscribers } from "./record.ts";

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
}

function addressOf({ tenant }: State, subscriberId: string) {
  return { kind: "audience", tenant, key: handleOfChild(subscriberId) };
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

/** Adds an address, or revives the one that is there. Where the subscriber is full or gone, the claim is given back. */
export function putEndpoint(
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
  const others = room((subscriber?.endpoints ?? []).filter((other) => other !== known));
  const next = subscriber && { ...subscriber, endpoints: [...others, endpoint] };
  if (!next || active.length >= limits.endpointsMax || bytesOf(next) > limits.subscriberBytesMax) {
    const message = { type: "identity_released", hash, endpointId };
    return { events: [{ type: "message_sent", to: claimAddress(state.tenant, given), message }] };
  }
  const published = {
    about: "endpoint",
    verb: "updated",
    endpoint_id: endpointId,
    channel: endpoint.channel,
  } as const;
  return { events: [changed(subscriber, next, context, published)] };
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
  subscriber: Subscriber,
  endpointId: string,
  state: State,
  context: Context,
): Decision<Event> {
  const endpoint = subscriber.endpoints.find(({ id }) => id === endpointId);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const answer = { id: endpointId, deleted: true };
  if (!endpoint.active) return { events: [], answer };
  const released: Released = {
    hash: identityHash(endpoint),
    endpointId,
    to: claimAddress(state.tenant, endpoint),
  };
  const event = withoutEndpoint(subscriber, endpoint, context);
  return { events: [{ ...event, released: [released] }], answer };
}

/** Another subscriber has the address now. */
export function loseEndpoint(subscriberId: string, endpointId: string, context: Context): Decision<Event> {
  const subscriber = subscribers.get(subscriberId, context);
  const endpoint = subscriber?.endpoints.find(({ id, active }) => id === endpointId && active);
  return { events: subscriber && endpoint ? [withoutEndpoint(subscriber, endpoint, context)] : [] };
}

function withoutEndpoint(subscriber: Subscriber, endpoint: Endpoint, context: Context) {
  const removed = { ...endpoint, active: false, updatedAt: context.now };
  const endpoints = subscriber.endpoints.map((other) => (other === endpoint ? removed : other));
  const { id: endpoint_id, channel } = endpoint;
  const published = { about: "endpoint", verb: "removed", endpoint_id, channel } as const;
  return changed(subscriber, { ...subscriber, endpoints }, context, published);
}
