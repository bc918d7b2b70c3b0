import { type FieldError, invalid, limits, type Refusal, refuse } from "#base";
import type {
  DeletePreferenceRequest,
  PutPreferenceRequest,
  ReplaceSubscriberRequest,
  UpsertSubscriberRequest,
} from "#protos";
import type { Context, Decision } from "#runtime";
import { limitReached, type Message, newRecord, nextRecord } from "../../kit/record.ts";
import { checkVersion } from "../../kit/version.ts";
import { bytesOf } from "../../notify/length.ts";
import { problemsOf, settingsOf } from "../../notify/preference.ts";
import { contextSet } from "../../notify/resolve.ts";
import type { Decide, Event, State } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { changed, putEvent } from "./changed.ts";
import { removed } from "./endpoints.ts";
import { verified } from "./follow.ts";
import {
  endpointMessage,
  noSubscriber,
  type PreferenceRow,
  type Profile,
  preferenceMessage,
  profileOf,
  profileProblems,
  type Subscriber,
  subscriberMessage,
  subscribers,
} from "./record.ts";

interface OfSubscriber {
  readonly subscriber_id: string;
}

interface OfEndpoint extends OfSubscriber {
  readonly endpoint_id: string;
}

/** What is asked of a subscriber that must be there. */
function ofSubscriber<Request extends OfSubscriber>(
  decide: (subscriber: Subscriber, request: Request, context: Context, state: State) => Decision<Event>,
): Decide<Request> {
  return (state, request, context) => {
    const subscriber = subscribers.get(request.subscriber_id, context);
    return subscriber ? decide(subscriber, request, context, state) : noSubscriber;
  };
}

export const getSubscriber = ofSubscriber((subscriber) => ({
  events: [],
  answer: subscriberMessage(subscriber),
}));

export const replaceSubscriber = ofSubscriber<ReplaceSubscriberRequest>((subscriber, given, { now }) => {
  const conflict = checkVersion(subscriber.recordVersion, given.record_version);
  if (conflict) return conflict;
  const profile = profileOf(given);
  const after = { ...subscriber, profile };
  const problems = [...profileProblems(profile), ...sizeProblems(after)];
  if (problems.length > 0) return invalid(...problems);
  const next = nextRecord<Subscriber>(subscriber, after, now);
  if (!next) return { events: [], answer: subscriberMessage(subscriber) };
  const event = putEvent(subscriber, next, "subscriber", "updated");
  return { events: [event], answer: subscriberMessage(next) };
});

export const deleteSubscriber = ofSubscriber((subscriber, _request, { now }) => {
  const after = nextRecord<Subscriber>(subscriber, { ...subscriber, active: false }, now);
  const events = after ? [putEvent(subscriber, after, "subscriber", "deleted")] : [];
  return { events, answer: { id: subscriber.id, deleted: true } };
});

/** Which of these are here. */
export const findSubscribers: Decide<{ readonly ids: readonly string[] }> = (_state, { ids }, context) => {
  context.prefetch(ids.map((id) => subscribers.ref(id)));
  return { events: [], answer: { found: ids.filter((id) => subscribers.get(id, context) !== null) } };
};

export const getEndpoint = ofSubscriber<OfEndpoint>((subscriber, { endpoint_id }) => {
  const endpoint = subscriber.endpoints.find(({ id }) => id === endpoint_id);
  if (!endpoint) return limitReached("a subscriber", limits.endpointsMax, "active endpoints");
  return { events: [], answer: endpointMessage(subscriber, endpoint) };
});

export const verifyEndpoint = ofSubscriber<OfEndpoint>((subscriber, { endpoint_id }, context) =>
  verified(subscriber, endpoint_id, context),
);

export const removeEndpoint = ofSubscriber<OfEndpoint>((subscriber, { endpoint_id }, context, state) =>
  removed(subscriber, endpoint_id, state, context),
);

export const deletePreference = ofSubscriber<DeletePreferenceRequest>(
  (subscriber, { preference_id }, context) => {
    const preferences = subscriber.preferences.filter(({ id }) => id !== preference_id);
    if (preferences.length === subscriber.preferences.length)
      return refuse("NOT_FOUND", "there is no such preference");
    const next = { ...subscriber, preferences };
    const event = changed(subscriber, next, context, "preference", "deleted", { preference_id });
    return { events: [event], answer: { id: preference_id, deleted: true } };
  },
);

/** Several of one audience in one commit; one that is not valid is refused alone. */
export const upsertSubscribers: Decide<{ readonly given: readonly UpsertSubscriberRequest[] }> = (
  state,
  { given },
  context,
) => {
  const unit = new UnitOfWork(state, context);
  const made = new Map<string, Subscriber>();
  const texts = given.map(({ external_id }) => external_id);
  context.prefetch(texts.map((text) => subscribers.ownerRef("external", text)));
  const owners = texts.map((text) => subscribers.ownerOf("external", text, context));
  context.prefetch(owners.flatMap((id) => (id === null ? [] : [subscribers.ref(id)])));
  const results = given.map((message, index): Message | Refusal => {
    const externalId = texts[index]!;
    const owner = owners[index]!;
    const before = made.get(externalId) ?? (owner === null ? null : unit.subscriber(owner));
    const after = merged(unit, before, externalId, message, { reactivate: true, at: "" });
    if ("problems" in after) return invalid(...after.problems);
    made.set(externalId, after);
    return { ...subscriberMessage(after), created: before === null };
  });
  return unit.decided(results);
};

/** What is wrong with a profile. */
export interface Problems {
  readonly problems: readonly FieldError[];
}

/** What is given over what there is. The events are those of `unit`. */
export function merged(
  unit: UnitOfWork,
  before: Subscriber | null,
  externalId: string,
  given: Profile,
  { reactivate, at }: { readonly reactivate: boolean; readonly at: string },
): Subscriber | Problems {
  const profile = profileOf(given, before?.profile);
  const problems = profileProblems(profile, at);
  if (problems.length > 0) return { problems };
  if (!before) {
    const subscriber: Subscriber = newRecord(
      unit.newId(),
      { externalId, active: true, profile, endpoints: [], preferences: [] },
      unit.now,
    );
    unit.putSubscriber(putEvent(null, subscriber, "subscriber", "created"));
    return subscriber;
  }
  const active = before.active || reactivate;
  const after = nextRecord<Subscriber>(before, { ...before, profile, active }, unit.now);
  if (!after) return before;
  const tooLarge = sizeProblems(after, at);
  if (tooLarge.length > 0) return { problems: tooLarge };
  unit.putSubscriber(putEvent(before, after, "subscriber", "updated"));
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
export const putPreference = ofSubscriber<PutPreferenceRequest>((subscriber, given, context) => {
  const { workflow_key: workflowKey, topic_key: topicKey, context_keys } = given;
  const contextKeys = contextSet(context_keys);
  const problems = problemsOf(given);
  if (topicKey !== undefined && workflowKey === undefined)
    problems.push({ field: "workflow_key", reason: "is required together with topic_key" });
  if (contextKeys.length > 0 && topicKey === undefined)
    problems.push({ field: "topic_key", reason: "is required together with context_keys" });
  if (problems.length > 0) return invalid(...problems);
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
  const published = { preference_id: row.id };
  const event = changed(subscriber, next, context, "preference", "updated", published);
  return { events: [event], answer: preferenceMessage(row) };
});
