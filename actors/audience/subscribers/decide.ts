import { type FieldError, limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { limitReached, type Message, newRecord, nextRecord } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { type PreferenceSettings, problemsOf, settingsOf } from "../../notify/preference.ts";
import { contextSet } from "../../notify/resolve.ts";
import { tables } from "../rows.ts";
import type { Event, State } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { changed, putEvent } from "./changed.ts";
import { claimIdentity, loseEndpoint, type NewEndpoint, putEndpoint, removeEndpoint } from "./endpoints.ts";
import { verifyEndpoint } from "./follow.ts";
import {
  bytesOf,
  endpointMessage,
  noSubscriber,
  type PreferenceRow,
  preferenceMessage,
  profileOf,
  profileProblems,
  type Subscriber,
  subscriberMessage,
  subscribers,
} from "./record.ts";

export type SubscriberCommand =
  | { readonly type: "upsert_subscribers"; readonly given: readonly Message[] }
  | { readonly type: "get_subscriber"; readonly id: string }
  | {
      readonly type: "replace_subscriber";
      readonly id: string;
      readonly given: Message;
      readonly version?: number;
    }
  | { readonly type: "delete_subscriber"; readonly id: string }
  /** Which of these are here. */
  | { readonly type: "find_subscribers"; readonly ids: readonly string[] }
  | { readonly type: "get_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "verify_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "remove_endpoint"; readonly id: string; readonly endpointId: string }
  | { readonly type: "put_preference"; readonly id: string; readonly given: PreferenceGiven }
  | { readonly type: "delete_preference"; readonly id: string; readonly preferenceId: string }
  /** Of an address that is claimed here, for a subscriber of any audience. */
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

export function decideSubscriber(
  state: State,
  command: SubscriberCommand,
  context: Context,
): Decision<Event> {
  switch (command.type) {
    case "upsert_subscribers":
      return upsert(state, command.given, context);
    case "find_subscribers": {
      context.prefetch(command.ids.map((id) => subscribers.ref(id)));
      const found = command.ids.filter((id) => subscribers.get(id, context) !== null);
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
      const subscriber = subscribers.get(command.id, context);
      return subscriber ? decideOne(subscriber, command, state, context) : noSubscriber;
    }
  }
}

type OneCommand = Extract<SubscriberCommand, { id: string }>;

function decideOne(
  subscriber: Subscriber,
  command: OneCommand,
  state: State,
  context: Context,
): Decision<Event> {
  switch (command.type) {
    case "get_subscriber":
      return { events: [], answer: subscriberMessage(subscriber) };
    case "replace_subscriber": {
      const conflict = checkVersion(subscriber.recordVersion, command.version);
      if (conflict) return conflict;
      const profile = profileOf(command.given);
      const after = { ...subscriber, profile };
      const problems = [...profileProblems(profile), ...sizeProblems(after)];
      if (problems.length > 0) return invalid(problems);
      const next = nextRecord<Subscriber>(subscriber, after, context.now);
      if (!next) return { events: [], answer: subscriberMessage(subscriber) };
      const events = [putEvent(subscriber, next, { about: "subscriber", verb: "updated" })];
      return { events, answer: subscriberMessage(next) };
    }
    case "delete_subscriber": {
      const answer = { id: subscriber.id, deleted: true };
      if (!subscriber.active) return { events: [], answer };
      const after = nextRecord<Subscriber>(subscriber, { ...subscriber, active: false }, context.now)!;
      return { events: [putEvent(subscriber, after, { about: "subscriber", verb: "deleted" })], answer };
    }
    case "get_endpoint": {
      const endpoint = subscriber.endpoints.find(({ id }) => id === command.endpointId);
      if (!endpoint) return limitReached("a subscriber", limits.endpointsMax, "active endpoints");
      return { events: [], answer: endpointMessage(subscriber, endpoint) };
    }
    case "verify_endpoint":
      return verifyEndpoint(subscriber, command.endpointId, context);
    case "remove_endpoint":
      return removeEndpoint(subscriber, command.endpointId, state, context);
    case "put_preference":
      return putPreference(subscriber, command.given, context);
    case "delete_preference": {
      const preferences = subscriber.preferences.filter(({ id }) => id !== command.preferenceId);
      if (preferences.length === subscriber.preferences.length)
        return refuse("NOT_FOUND", "there is no such preference");
      const { preferenceId: preference_id } = command;
      const published = { about: "preference", verb: "deleted", preference_id } as const;
      return {
        events: [changed(subscriber, { ...subscriber, preferences }, context, published)],
        answer: { id: preference_id, deleted: true },
      };
    }
  }
}

/** Several of one audience in one commit; one that is not valid is refused alone. */
function upsert(state: State, given: readonly Message[], context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const made = new Map<string, Subscriber>();
  const texts = given.map((message) => message.external_id as string);
  context.prefetch(texts.map((text) => subscribers.ownerRef("external", text)));
  const owners = texts.map((text) => subscribers.ownerOf("external", text, context));
  context.prefetch(owners.flatMap((id) => (id === null ? [] : [subscribers.ref(id)])));
  const results = given.map((message, index): Message | Refusal => {
    const externalId = texts[index]!;
    const owner = owners[index]!;
    const before = made.get(externalId) ?? (owner === null ? null : unit.subscriber(owner));
    const after = merged(unit, before, externalId, message, { reactivate: true, at: "" });
    if (Array.isArray(after)) return invalid(after);
    made.set(externalId, after as Subscriber);
    return { ...subscriberMessage(after as Subscriber), created: before === null };
  });
  return unit.decided(results);
}

/** What is given over what there is. The events are those of `unit`. */
export function merged(
  unit: UnitOfWork,
  before: Subscriber | null,
  externalId: string,
  given: Message,
  { reactivate, at }: { readonly reactivate: boolean; readonly at: string },
): Subscriber | FieldError[] {
  const profile = profileOf(given, before?.profile);
  const problems = profileProblems(profile, at);
  if (problems.length > 0) return problems;
  if (!before) {
    const subscriber: Subscriber = newRecord(
      unit.newId(),
      { externalId, active: true, profile, endpoints: [], preferences: [] },
      unit.now,
    );
    unit.putSubscriber(putEvent(null, subscriber, { about: "subscriber", verb: "created" }));
    return subscriber;
  }
  const active = before.active || reactivate;
  const after = nextRecord<Subscriber>(before, { ...before, profile, active }, unit.now);
  if (!after) return before;
  const tooLarge = sizeProblems(after, at);
  if (tooLarge.length > 0) return tooLarge;
  unit.putSubscriber(putEvent(before, after, { about: "subscriber", verb: "updated" }));
  return after;
}

/** A profile that fits by itself may not fit beside the endpoints and preferences that are there. */
function sizeProblems(subscriber: Subscriber, at = ""): FieldError[] {
  if (
    subscriber.endpoints.length + subscriber.preferences.length === 0 ||
    bytesOf(subscriber) <= limits.subscriberBytesMax
  )
    return [];
  const reason = `with its endpoints and preferences the subscriber is longer than ${limits.subscriberBytesMax} bytes`;
  return [{ field: `${at}data`, reason }];
}

/** Replaces the row with the same keys. */
function putPreference(subscriber: Subscriber, given: PreferenceGiven, context: Context): Decision<Event> {
  const { workflow_key: workflowKey, topic_key: topicKey, context_keys } = given;
  const contextKeys = contextSet(context_keys);
  const problems = problemsOf(given);
  if (topicKey !== undefined && workflowKey === undefined)
    problems.push({ field: "workflow_key", reason: "is required together with topic_key" });
  if (contextKeys.length > 0 && topicKey === undefined)
    problems.push({ field: "topic_key", reason: "is required together with context_keys" });
  if (problems.length > 0) return invalid(problems);
  const known = subscriber.preferences.find(
    (row) =>
      row.workflowKey === workflowKey &&
      row.topicKey === topicKey &&
      row.contextKeys.join("\u0000") === contextKeys.join("\u0000"),
  );
  if (!known && subscriber.preferences.length >= limits.preferencesMax)
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
  const others = subscriber.preferences.filter((other) => other !== known);
  const next = { ...subscriber, preferences: [...others, row] };
  if (bytesOf(next) > limits.subscriberBytesMax)
    return refuse("FAILED_PRECONDITION", `a subscriber takes at most ${limits.subscriberBytesMax} bytes`, {
      reason: "LIMIT_REACHED",
    });
  const published = { about: "preference", verb: "updated", preference_id: row.id } as const;
  return { events: [changed(subscriber, next, context, published)], answer: preferenceMessage(row) };
}

function invalid(fields: readonly FieldError[]): Refusal {
  const [first] = fields;
  return refuse("INVALID_ARGUMENT", `${first!.field} ${first!.reason}`, { fields });
}
