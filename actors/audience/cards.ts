import { type FieldError, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached, type Message, newRecord, nextRecord } from "../kit/record.ts";
import { checkVersion } from "../kit/version.ts";
import { type PreferenceSettings, problemsOf, settingsOf } from "../notify/preference.ts";
import { contextSet } from "../notify/resolve.ts";
import {
  bytesOf,
  type Card,
  cards,
  endpointMessage,
  type PreferenceRow,
  preferenceMessage,
  profileOf,
  profileProblems,
  subscriberMessage,
} from "./card.ts";
import { changed, toldOf } from "./card-changed.ts";
import { claimIdentity, loseEndpoint, type NewEndpoint, putEndpoint, removeEndpoint } from "./endpoints.ts";
import { verifyEndpoint } from "./follow.ts";
import { noSubscriber } from "./inbox.ts";
import { tables } from "./rows.ts";
import type { Event, State, Told } from "./state.ts";
import { Work } from "./work.ts";

export type CardCommand =
  | { readonly type: "upsert_cards"; readonly given: readonly Message[] }
  | { readonly type: "get_card"; readonly id: string }
  | { readonly type: "replace_card"; readonly id: string; readonly given: Message; readonly version?: number }
  | { readonly type: "delete_card"; readonly id: string }
  /** Which of these are here. */
  | { readonly type: "find_cards"; readonly ids: readonly string[] }
  | { readonly type: "get_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "verify_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "remove_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "put_preference"; readonly id: string; readonly given: PreferenceGiven }
  | { readonly type: "delete_preference"; readonly id: string; readonly preferenceId: string }
  /** Of an address that is claimed here, for a card of any audience. */
  | { readonly type: "claim_identity"; readonly endpoint: NewEndpoint }
  | { readonly type: "identity_released"; readonly hash: string; readonly endpointId: string }
  /** From where the address was claimed. */
  | { readonly type: "endpoint_put"; readonly endpoint: NewEndpoint; readonly endpointId: string }
  | { readonly type: "endpoint_lost"; readonly subscriberId: string; readonly endpointId: string };

export interface PreferenceGiven extends PreferenceSettings {
  readonly workflow_key?: string;
  readonly topic_key?: string;
  readonly context_keys?: readonly string[];
}

export function decideCard(state: State, command: CardCommand, context: Context): Decision<Event> {
  switch (command.type) {
    case "upsert_cards":
      return upsert(state, command.given, context);
    case "find_cards": {
      context.prefetch(command.ids.map((id) => cards.ref(id)));
      const found = command.ids.filter((id) => cards.get(id, context) !== null);
      return { events: [], answer: { found } };
    }
    case "claim_identity":
      return claimIdentity(state, command.endpoint, context);
    case "identity_released": {
      const { hash, endpointId } = command;
      const isOwn = context.get(tables.identities, [hash])?.endpointId === endpointId;
      return { events: isOwn ? [{ type: "identity_put", hash, identity: null }] : [] };
    }
    case "endpoint_put":
      return putEndpoint(state, command.endpoint, command.endpointId, context);
    case "endpoint_lost":
      return loseEndpoint(command.subscriberId, command.endpointId, context);
    default: {
      const card = cards.get(command.id, context);
      return card ? decideOne(card, command, state, context) : noSubscriber();
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
    case "verify_endpoint":
      return verifyEndpoint(card, command.endpointId, context);
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
  const texts = given.map((message) => message.external_id as string);
  context.prefetch(texts.map((text) => cards.ownerRef("external", text)));
  const owners = texts.map((text) => cards.ownerOf("external", text, context));
  context.prefetch(owners.flatMap((id) => (id === null ? [] : [cards.ref(id)])));
  const results = given.map((message, index): Message | Refusal => {
    const externalId = texts[index]!;
    const owner = owners[index]!;
    const before = made.get(externalId) ?? (owner === null ? null : work.card(owner));
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
