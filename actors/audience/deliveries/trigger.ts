import { invalid, isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { type Message, nextRecord } from "../../kit/record.ts";
import { type FanOut, isOtherClaim, type Manifest, transactionKept } from "../../notify/manifest.ts";
import { type Channel, channels } from "../../notify/outbound/types.ts";
import { contextSet, resolverVersion } from "../../notify/resolve.ts";
import { refsOf, tables } from "../rows.ts";
import type { Decide, Event, State } from "../state.ts";
import { merged, type Problems } from "../subscribers/decide.ts";
import { noSubscriber, type Profile, type Subscriber, subscribers } from "../subscribers/record.ts";
import { type Sending, UnitOfWork } from "../unit-of-work.ts";
import { skip, start } from "./dispatch.ts";
import { type Asked, decisionsFor, planFor } from "./plan.ts";
import { type Delivery, isEnded, outcomeMessage, type Tier } from "./record.ts";
import { retentionAt } from "./retention.ts";
import { blank, fromRow } from "./row.ts";

/** To one subscriber. */
export interface Trigger {
  /** Its transaction_id is empty where this audience is to make one. */
  readonly manifest: Manifest;
  readonly subscriberId?: string;
  readonly externalId?: string;
  /** Merged into the subscriber first. */
  readonly inline?: Profile;
  readonly retentionDays: number;
  readonly waitMs: number;
  /** The endpoint whose owner is asked to confirm it. */
  readonly confirm?: { readonly endpointId: string; readonly pageUrl: string };
}

export interface Triggered {
  readonly transaction_id: string;
  readonly outcomes: readonly Message[];
  /** Until when the link confirms the endpoint. */
  readonly until?: number;
}

export const trigger: Decide<Trigger> = (state, asked, context) => {
  const unit = new UnitOfWork(state, context);
  const given = asked.manifest.transactionId;
  const { subscriberId, externalId } = asked;
  context.prefetch(
    subscriberId === undefined ? [subscribers.ownerRef("external", externalId!)] : refsOf(subscriberId),
  );
  // A repeat of a caller's transaction: the first one has decided.
  const known = given === "" ? null : unit.manifest(given);
  if (known && isOtherClaim(known, asked.manifest)) return transactionKept(given);
  if (known) return outcomes(unit, given, asked.waitMs);
  const subscriber = recipientOf(unit, asked);
  if (!subscriber) return noSubscriber;
  if ("problems" in subscriber) return invalid(...subscriber.problems);
  const confirmed = asked.confirm && confirmation(unit, subscriber, asked.confirm);
  if (isRefusal(confirmed)) return confirmed;
  const manifest = {
    ...asked.manifest,
    ...(given === "" && { transactionId: unit.newId() }),
    ...(confirmed && { confirm: confirmed.confirm, channels: [confirmed.channel] }),
  };
  const sending = { subscriber: confirmed?.subscriber ?? subscriber, manifest };
  const created = create(unit, sending, [], "direct");
  const { retentionDays } = asked;
  unit.events.unshift(...retentionAt(state, context.now));
  const deliveries = created.length;
  unit.events.push({
    type: "manifest_put",
    manifest,
    retentionDays,
    deliveries,
    ...(given === "" && { drawn: true }),
  });
  const answer: Triggered = {
    transaction_id: manifest.transactionId,
    outcomes: created.map(outcomeMessage),
    ...(confirmed && { until: confirmed.until }),
  };
  const open = created.filter((delivery) => !isEnded(delivery) && delivery.retryAt === 0);
  if (open.length === 0 || asked.waitMs === 0) return unit.decided(answer);
  const command: AwaitOutcomes = {
    type: "await_outcomes",
    transactionId: manifest.transactionId,
    deliveryIds: created.map(({ id }) => id),
    untilMs: context.now + asked.waitMs,
  };
  return unit.decided(undefined, { park: { untilMs: command.untilMs, command } });
};

/** The endpoint remembers which link was sent last: only that one confirms it. */
function confirmation(
  unit: UnitOfWork,
  subscriber: Subscriber,
  { endpointId, pageUrl }: NonNullable<Trigger["confirm"]>,
) {
  const endpoint = subscriber.endpoints.find(({ id, active }) => id === endpointId && active);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const { channel } = endpoint;
  if (endpoint.verified)
    return refuse("FAILED_PRECONDITION", "the endpoint is verified", { reason: "ALREADY_VERIFIED" });
  if (channel === "in_app" || channel === "push")
    return refuse("FAILED_PRECONDITION", `an endpoint of ${channel} is not confirmed by a link`, {
      reason: "CHANNEL_WITHOUT_LINKS",
    });
  const nonce = unit.newId();
  const until = unit.now + limits.confirmationMs;
  const endpoints = subscriber.endpoints.map((other) =>
    other === endpoint ? { ...other, confirmation: { nonce, until } } : other,
  );
  const after = nextRecord<Subscriber>(subscriber, { ...subscriber, endpoints }, unit.now)!;
  unit.putSubscriber({ type: "subscriber_put", before: subscriber, after });
  return { subscriber: after, confirm: { endpointId, nonce, pageUrl }, channel, until };
}

export interface AwaitOutcomes {
  readonly type: "await_outcomes";
  readonly transactionId: string;
  readonly deliveryIds: readonly string[];
  readonly untilMs: number;
}

/** Answers when every delivery has its first outcome, or the time is over. */
export function awaitOutcomes(state: State, command: AwaitOutcomes, context: Context): Decision<Event> {
  const { transactionId, deliveryIds, untilMs } = command;
  if (!isAnswered(state, command) && !context.expired && context.now < untilMs)
    return { park: { untilMs, command } };
  const keys = deliveryIds.map((id) => [id] as const);
  const found = context.getMany(tables.deliveries, keys);
  const outcomes = found.flatMap((row) => (row ? [outcomeMessage(fromRow(row))] : []));
  return { events: [], answer: { transaction_id: transactionId, outcomes } };
}

export function isAnswered({ pending }: State, { deliveryIds }: AwaitOutcomes): boolean {
  return deliveryIds.every((id) => !pending.has(id));
}

function outcomes(unit: UnitOfWork, transactionId: string, waitMs: number): Decision<Event> {
  const range = { prefix: [transactionId], limit: limits.directDeliveriesMax };
  const deliveryIds = unit.context.scan(tables.byTransaction, range).map(({ key }) => key[1]);
  const untilMs = unit.now + waitMs;
  return awaitOutcomes(
    unit.state,
    { type: "await_outcomes", transactionId, deliveryIds, untilMs },
    unit.context,
  );
}

/** The recipient as the trigger leaves it; problems of an inline profile; nothing where there is no such subscriber. */
function recipientOf(unit: UnitOfWork, asked: Trigger): Subscriber | Problems | null {
  const { subscriberId, externalId, inline } = asked;
  if (subscriberId !== undefined) return unit.subscriber(subscriberId);
  const owner = subscribers.ownerOf("external", externalId!, unit.context);
  if (owner !== null) unit.context.prefetch(refsOf(owner));
  const subscriber = owner === null ? null : unit.subscriber(owner);
  if (inline === undefined) return subscriber;
  return merged(unit, subscriber, externalId!, inline, { reactivate: false, at: "subscriber." });
}

/** One delivery for every channel and address, started where it may be; and one for every channel that is skipped. */
function create(
  unit: UnitOfWork,
  sending: Sending,
  contextKeys: readonly string[],
  tier: Tier,
): readonly Delivery[] {
  const { subscriber, manifest } = sending;
  const { transactionId, workflowKey, topicKey } = manifest;
  const made = planFor(subscriber, manifest, { contextKeys }, unit.now).map((plan) => {
    const { channel, reasonCode, winningLayer, to } = plan;
    const delivery: Delivery = {
      ...blank,
      id: unit.newId(),
      transactionId,
      subscriberId: subscriber.id,
      workflowKey,
      topicKey,
      channel,
      tier,
      ...to,
      contextKeys,
      reasonCode,
      winningLayer,
      expiresAt: unit.now + manifest.ttlMs,
      createdAt: unit.now,
    };
    if (to) start(unit, null, delivery, sending);
    else skip(unit, null, delivery, reasonCode);
    return unit.delivery(delivery.id)!;
  });
  if (made.length > 0) {
    const activity = unit.activity(subscriber.id);
    unit.setActivity(subscriber.id, { ...activity, deliveries: activity.deliveries + made.length });
  }
  return made;
}

/** Some members of a broadcast: by their preferences of now, in one commit with the count that the topic gets. */
export function fanOut(state: State, message: FanOut, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const { transactionId, topic, members } = message;
  context.prefetch(members.flatMap(({ subscriberId }) => refsOf(subscriberId)));
  const manifest = message.manifest ?? unit.manifest(transactionId);
  unit.events.push(...retentionAt(state, context.now));
  unit.events.push({ type: "fanned", transactionId, topic, members: members.length });
  const { retentionDays } = state;
  if (message.manifest) unit.events.push({ type: "manifest_put", manifest: message.manifest, retentionDays });
  for (const { subscriberId, contextKeys } of members) {
    const subscriber = unit.subscriber(subscriberId);
    if (subscriber && manifest)
      create(unit, { subscriber, manifest }, contextKeys, manifest.tiered ? "broadcast" : "direct");
    context.spend(limits.fanOutSteps);
  }
  return unit.decided();
}

/** What a preview asks for; layers 1 and 2 are brought along. */
export interface Preview extends Asked {
  readonly subscriberId: string;
  readonly contextKeys: readonly string[];
  readonly channels: readonly Channel[];
}

export const preview: Decide<Preview> = (_state, asked, context) => {
  const subscriber = subscribers.get(asked.subscriberId, context);
  if (!subscriber) return noSubscriber;
  const contextKeys = contextSet(asked.contextKeys);
  const only = asked.channels.length > 0 ? asked.channels : channels;
  const decisions = decisionsFor(subscriber, asked, contextKeys, context.now, only);
  return { events: [], answer: { resolver_version: resolverVersion, channels: decisions } };
};
