import { createHash } from "node:crypto";
import { type FieldError, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { audienceOf } from "../shared/notify/address.ts";
import { type PreferenceSettings, problemsOf, settingsOf } from "../shared/notify/preference.ts";
import { contextSet } from "../shared/notify/resolve.ts";
import type { Channel, JsonObject } from "../shared/outbound/types.ts";
import { limitReached, type Message, newRecord, nextRecord } from "../shared/records/record.ts";
import { checkVersion } from "../shared/version.ts";
import {
  bytesOf,
  type Card,
  cards,
  type Endpoint,
  endpointMessage,
  type PreferenceRow,
  preferenceMessage,
  profileOf,
  profileProblems,
  subscriberMessage,
} from "./card.ts";
import { noSubscriber } from "./inbox.ts";
import type { Event, Identity, Released, State, Told } from "./state.ts";
import { Work } from "./work.ts";

export type CardCommand =
  | { readonly type: "upsert_cards"; readonly given: readonly Message[] }
  | { readonly type: "get_card"; readonly id: string }
  | { readonly type: "replace_card"; readonly id: string; readonly given: Message; readonly version?: number }
  | { readonly type: "delete_card"; readonly id: string }
  /** Which of these are here. */
  | { readonly type: "find_cards"; readonly ids: readonly string[] }
  | { readonly type: "get_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "remove_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "put_preference"; readonly id: string; readonly given: PreferenceGiven }
  | { readonly type: "delete_preference"; readonly id: string; readonly preferenceId: string }
  /** Of an address that is claimed here, for a card of any audience. */
  | { readonly type: "claim_identity"; readonly endpoint: NewEndpoint }
  | { readonly type: "identity_released"; readonly hash: string; readonly endpointId: string }
  /** From where the address was claimed. */
  | { readonly type: "endpoint_put"; readonly endpoint: NewEndpoint; readonly endpointId: string }
  | { readonly type: "endpoint_lost"; readonly subscriberId: string; readonly endpointId: string };

export interface NewEndpoint {
  readonly subscriberId: string;
  readonly channel: Channel;
  readonly providerKey: string;
  readonly identity: string;
  readonly connectionId?: string;
  readonly verified?: boolean;
  readonly metadata?: JsonObject;
}

interface PreferenceGiven extends PreferenceSettings {
  readonly workflow_key?: string;
  readonly topic_key?: string;
  readonly context_keys?: readonly string[];
}

export function decideCard(state: State, command: CardCommand, context: Context): Decision<Event> {
  switch (command.type) {
    case "upsert_cards":
      return upsert(state, command.given, context);
    case "find_cards": {
      const work = new Work(state, context);
      const found = command.ids.filter((id) => work.reads.card(id) !== null);
      return work.decided({ found });
    }
    case "claim_identity":
      return claim(state, command.endpoint, context);
    case "identity_released": {
      const work = new Work(state, context);
      const held = work.reads.row<Identity>("identities", command.hash);
      if (held?.endpointId === command.endpointId)
        work.events.push({ type: "identity_put", hash: command.hash, identity: null });
      return work.decided();
    }
    case "endpoint_put":
      return putEndpoint(state, command.endpoint, command.endpointId, context);
    case "endpoint_lost":
      return loseEndpoint(state, command.subscriberId, command.endpointId, context);
    default: {
      const card = cards.get(command.id, context);
      if (card === undefined) return cards.need(command.id);
      return card === null ? noSubscriber() : decideOne(card, command, state, context);
    }
  }
}

type OneCommand = Extract<CardCommand, { id: string }>;

function decideOne(card: Card, command: OneCommand, state: State, context: Context): Decision<Event> {
  switch (command.type) {
    case "get_card":
      return { events: [], answer: subscriberMessage(card) };
    case "replace_card": {
      const conflict = checkVersion(card.recordVersion, command.version);
      if (conflict) return conflict;
      const profile = profileOf(command.given);
      const after = { ...card, profile };
      const problems = [...profileProblems(profile), ...sizeProblems(after)];
      if (problems.length > 0) return invalid(problems);
      return put(card, after, "updated", context);
    }
    case "delete_card": {
      const answer = { id: card.id, deleted: true };
      if (!card.active) return { events: [], answer };
      const after = nextRecord<Card>(card, { ...card, active: false }, context.now)!;
      const told: Told[] = [
        { about: "subscriber", verb: "deleted", subject: card.id, payload: toldOf(card) },
      ];
      return { events: [{ type: "card_put", before: card, after, told }], answer };
    }
    case "get_endpoint": {
      const endpoint = card.endpoints.find(({ id }) => id === command.endpointId);
      if (!endpoint) return limitReached("a subscriber", limits.endpointsMax, "active endpoints");
      return { events: [], answer: endpointMessage(card, endpoint) };
    }
    case "remove_endpoint":
      return removeEndpoint(card, command.endpointId, state, context);
    case "put_preference":
      return putPreference(card, command.given, context);
    case "delete_preference": {
      const preferences = card.preferences.filter(({ id }) => id !== command.preferenceId);
      if (preferences.length === card.preferences.length)
        return refuse("NOT_FOUND", "there is no such preference");
      const told = { ...toldOf(card), preference_id: command.preferenceId };
      return {
        events: [
          changed(card, { ...card, preferences }, context, { about: "preference", verb: "deleted" }, told),
        ],
        answer: { id: command.preferenceId, deleted: true },
      };
    }
  }
}

/** Several of one audience in one commit; one that is not valid is refused alone. */
function upsert(state: State, given: readonly Message[], context: Context): Decision<Event> {
  const work = new Work(state, context);
  const made = new Map<string, Card>();
  const results = given.map((message): Message | Refusal => {
    const externalId = message.external_id as string;
    const holder = work.reads.row<string>("cards.external", externalId);
    const before = made.get(externalId) ?? (holder === null ? null : work.card(holder));
    if (work.reads.need) return {};
    const after = merged(work, before, externalId, message, { reactivate: true, at: "" });
    if (Array.isArray(after)) return invalid(after);
    made.set(externalId, after as Card);
    return { ...subscriberMessage(after as Card), created: before === null };
  });
  return work.decided(results);
}

/** What is given over what there is. The events are those of `work`. */
export function merged(
  work: Work,
  before: Card | null,
  externalId: string,
  given: Message,
  { reactivate, at }: { readonly reactivate: boolean; readonly at: string },
): Card | FieldError[] {
  const profile = profileOf(given, before?.profile);
  const problems = profileProblems(profile, at);
  if (problems.length > 0) return problems;
  if (!before) {
    const card: Card = newRecord(
      work.newId(),
      { externalId, active: true, profile, endpoints: [], preferences: [] },
      work.now,
    );
    const told: Told[] = [{ about: "subscriber", verb: "created", subject: card.id, payload: toldOf(card) }];
    work.putCard(null, card, { told });
    return card;
  }
  const active = before.active || reactivate;
  const after = nextRecord<Card>(before, { ...before, profile, active }, work.now);
  if (!after) return before;
  const tooLarge = sizeProblems(after, at);
  if (tooLarge.length > 0) return tooLarge;
  const told: Told[] = [{ about: "subscriber", verb: "updated", subject: after.id, payload: toldOf(after) }];
  work.putCard(before, after, { told });
  return after;
}

/** A profile that fits by itself may not fit beside the endpoints and preferences that are there. */
function sizeProblems(card: Card, at = ""): FieldError[] {
  if (card.endpoints.length + card.preferences.length === 0 || bytesOf(card) <= limits.cardBytesMax)
    return [];
  const reason = `with its endpoints and preferences the subscriber is longer than ${limits.cardBytesMax} bytes`;
  return [{ field: `${at}data`, reason }];
}

function put(card: Card, changedCard: Card, verb: string, context: Context): Decision<Event> {
  const after = nextRecord<Card>(card, changedCard, context.now);
  if (!after) return { events: [], answer: subscriberMessage(card) };
  const told: Told[] = [{ about: "subscriber", verb, subject: card.id, payload: toldOf(card) }];
  return { events: [{ type: "card_put", before: card, after, told }], answer: subscriberMessage(after) };
}

function changed(
  card: Card,
  next: Card,
  { now }: Context,
  what: Pick<Told, "about" | "verb">,
  payload: object,
): Event {
  const after = nextRecord<Card>(card, next, now) ?? card;
  return { type: "card_put", before: card, after, told: [{ ...what, subject: card.id, payload }] };
}

function toldOf({ externalId }: Card): { external_id: string } {
  return { external_id: externalId };
}

/** The claim commits first, and its outbox writes the card: no two cards have the same address. */
function claim(state: State, endpoint: NewEndpoint, context: Context): Decision<Event> {
  const hash = identityHash(endpoint);
  const work = new Work(state, context);
  const held = work.reads.row<Identity>("identities", hash);
  if (work.reads.need) return work.reads.need;
  const { subscriberId, channel } = endpoint;
  const taken = held !== null && held.subscriberId !== subscriberId;
  // A device has one user at a time: its token moves with it.
  if (taken && channel !== "push")
    return refuse("ALREADY_EXISTS", `another subscriber has this ${channel} address`, {
      reason: "ENDPOINT_TAKEN",
    });
  const endpointId = held && !taken ? held.endpointId : context.newId(handleOfCard(subscriberId));
  work.events.push({ type: "identity_put", hash, identity: { subscriberId, endpointId } });
  if (held && taken)
    work.events.push({
      type: "message_sent",
      to: addressOf(state, held.subscriberId),
      message: { type: "endpoint_lost", subscriberId: held.subscriberId, endpointId: held.endpointId },
    });
  work.events.push({
    type: "message_sent",
    to: addressOf(state, subscriberId),
    message: { type: "endpoint_put", endpoint, endpointId },
  });
  return work.decided({ endpoint_id: endpointId }, { awaitDelivery: true });
}

function handleOfCard(subscriberId: string): string {
  return subscriberId.slice(10, 18);
}

function addressOf({ tenant }: State, subscriberId: string) {
  return { kind: "audience", tenant, key: handleOfCard(subscriberId) };
}

export function identityHash({
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
function putEndpoint(
  state: State,
  given: NewEndpoint,
  endpointId: string,
  context: Context,
): Decision<Event> {
  const card = cards.get(given.subscriberId, context);
  if (card === undefined) return cards.need(given.subscriberId);
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

function removeEndpoint(card: Card, endpointId: string, state: State, context: Context): Decision<Event> {
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
function loseEndpoint(
  _state: State,
  subscriberId: string,
  endpointId: string,
  context: Context,
): Decision<Event> {
  const card = cards.get(subscriberId, context);
  if (card === undefined) return cards.need(subscriberId);
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

/** Replaces the row with the same keys. */
function putPreference(card: Card, given: PreferenceGiven, context: Context): Decision<Event> {
  const { workflow_key: workflowKey, topic_key: topicKey, context_keys } = given;
  const contextKeys = contextSet(context_keys);
  const problems = problemsOf(given);
  if (topicKey !== undefined && workflowKey === undefined)
    problems.push({ field: "workflow_key", reason: "is required together with topic_key" });
  if (contextKeys.length > 0 && topicKey === undefined)
    problems.push({ field: "topic_key", reason: "is required together with context_keys" });
  if (problems.length > 0) return invalid(problems);
  const known = card.preferences.find(
    (row) =>
      row.workflowKey === workflowKey &&
      row.topicKey === topicKey &&
      row.contextKeys.join("\u0000") === contextKeys.join("\u0000"),
  );
  if (!known && card.preferences.length >= limits.preferencesMax)
    return limitReached("a subscriber", limits.preferencesMax, "preferences");
  const row: PreferenceRow = {
    id: known?.id ?? context.newId(context.address.key),
    ...(workflowKey !== undefined && { workflowKey }),
    ...(topicKey !== undefined && { topicKey }),
    contextKeys,
    settings: settingsOf(given),
    createdAt: known?.createdAt ?? context.now,
    updatedAt: context.now,
  };
  const others = card.preferences.filter((other) => other !== known);
  const next = { ...card, preferences: [...others, row] };
  if (bytesOf(next) > limits.cardBytesMax)
    return refuse("FAILED_PRECONDITION", `a subscriber takes at most ${limits.cardBytesMax} bytes`, {
      reason: "LIMIT_REACHED",
    });
  const told = { ...toldOf(card), preference_id: row.id };
  return {
    events: [changed(card, next, context, { about: "preference", verb: "updated" }, told)],
    answer: preferenceMessage(row),
  };
}

function invalid(fields: readonly FieldError[]): Refusal {
  const [first] = fields;
  return refuse("INVALID_ARGUMENT", `${first!.field} ${first!.reason}`, { fields });
}
