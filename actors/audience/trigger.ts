import { type FieldError, isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { type Message, nextRecord } from "../kit/record.ts";
import {
  type FanOut,
  type FanOutMember,
  isOtherClaim,
  type Manifest,
  transactionKept,
} from "../notify/manifest.ts";
import { type Channel, channels } from "../notify/outbound/types.ts";
import { contextSet, resolve, resolverVersion } from "../notify/resolve.ts";
import { type Card, cards } from "./card.ts";
import { merged } from "./cards.ts";
import { type Delivery, outcomeMessage, type Tier } from "./delivery.ts";
import { fromRow } from "./delivery-row.ts";
import { skip, start } from "./dispatch.ts";
import { noSubscriber } from "./inbox.ts";
import { type Asked, layersOf, type Planned, planFor, variablesOf } from "./plan.ts";
import { retentionAt } from "./retention.ts";
import { refsOf, tables } from "./rows.ts";
import type { Event, State } from "./state.ts";
import { Work } from "./work.ts";

/** To one subscriber. */
export interface Trigger {
  /** Its transaction_id is empty where this audience is to make one. */
  readonly manifest: Manifest;
  readonly subscriberId?: string;
  readonly externalId?: string;
  /** Merged into the card first. */
  readonly inline?: Message;
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

export function trigger(state: State, asked: Trigger, context: Context): Decision<Event> {
  const work = new Work(state, context);
  const given = asked.manifest.transactionId;
  const { subscriberId, externalId } = asked;
  context.prefetch(
    subscriberId === undefined ? [cards.ownerRef("external", externalId!)] : refsOf(subscriberId),
  );
  // A repeat of a caller's transaction: the first one has decided.
  const known = given === "" ? null : work.manifest(given);
  if (known && isOtherClaim(known, asked.manifest)) return transactionKept(given);
  if (known) return outcomes(work, given, asked.waitMs);
  const card = recipientOf(work, asked);
  if (Array.isArray(card)) return refuse("INVALID_ARGUMENT", "the subscriber is not valid", { fields: card });
  if (!card) return noSubscriber();
  const confirmed = asked.confirm && confirmation(work, card as Card, asked.confirm);
  if (isRefusal(confirmed)) return confirmed;
  const manifest = {
    ...asked.manifest,
    ...(given === "" && { transactionId: work.newId() }),
    ...(confirmed && { confirm: confirmed.confirm, channels: [confirmed.channel] }),
  };
  const created = create(work, confirmed?.card ?? (card as Card), manifest, { contextKeys: [] }, "direct");
  const { retentionDays } = asked;
  work.events.unshift(...retentionAt(state, context.now));
  const deliveries = created.length;
  work.events.push({
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
  const open = created.filter(({ status, retryAt }) => isPending(status) && retryAt === 0);
  if (open.length === 0 || asked.waitMs === 0) return work.decided(answer);
  const command: AwaitOutcomes = {
    type: "await_outcomes",
    transactionId: manifest.transactionId,
    deliveryIds: created.map(({ id }) => id),
    untilMs: context.now + asked.waitMs,
  };
  return work.decided(undefined, { park: { untilMs: command.untilMs, command } });
}

/** The endpoint remembers which link was sent last: only that one confirms it. */
function confirmation(work: Work, card: Card, { endpointId, pageUrl }: NonNullable<Trigger["confirm"]>) {
  const endpoint = card.endpoints.find(({ id, active }) => id === endpointId && active);
  if (!endpoint) return refuse("NOT_FOUND", "there is no such endpoint");
  const { channel } = endpoint;
  if (endpoint.verified)
    return refuse("FAILED_PRECONDITION", "the endpoint is verified", { reason: "ALREADY_VERIFIED" });
  if (channel === "in_app" || channel === "push")
    return refuse("FAILED_PRECONDITION", `an endpoint of ${channel} is not confirmed by a link`, {
      reason: "CHANNEL_WITHOUT_LINKS",
    });
  const nonce = work.newId();
  const until = work.now + limits.confirmationMs;
  const endpoints = card.endpoints.map((other) =>
    other === endpoint ? { ...other, confirmation: { nonce, until } } : other,
  );
  const after = nextRecord<Card>(card, { ...card, endpoints }, work.now)!;
  work.putCard(card, after);
  return { card: after, confirm: { endpointId, nonce, pageUrl }, channel, until };
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

function outcomes(work: Work, transactionId: string, waitMs: number): Decision<Event> {
  const range = { prefix: [transactionId], limit: limits.directDeliveriesMax };
  const deliveryIds = work.context.scan(tables.byTransaction, range).map(({ key }) => key[1]);
  const untilMs = work.now + waitMs;
  return awaitOutcomes(
    work.state,
    { type: "await_outcomes", transactionId, deliveryIds, untilMs },
    work.context,
  );
}

/** The card as the trigger leaves it; problems of an inline profile; nothing where there is no such subscriber. */
function recipientOf(work: Work, asked: Trigger): Card | FieldError[] | null {
  const { subscriberId, externalId, inline } = asked;
  if (subscriberId !== undefined) return work.card(subscriberId);
  const owner = cards.ownerOf("external", externalId!, work.context);
  if (owner !== null) work.context.prefetch(refsOf(owner));
  const card = owner === null ? null : work.card(owner);
  if (inline === undefined) return card;
  return merged(work, card, externalId!, inline, { reactivate: false, at: "subscriber." });
}

/** One delivery for every channel and address, started where it may be; and one for every channel that is skipped. */
function create(
  work: Work,
  card: Card,
  manifest: Manifest,
  { contextKeys }: Pick<FanOutMember, "contextKeys">,
  tier: Tier,
): readonly Delivery[] {
  const made = planFor(card, manifest, { contextKeys }, work.now).map((plan) => {
    const delivery = draftOf(work, card, manifest, contextKeys, tier, plan);
    if (plan.to) start(work, null, delivery, card, manifest);
    else skip(work, null, delivery, plan.reasonCode);
    return work.delivery(delivery.id)!;
  });
  if (made.length > 0) {
    const activity = work.activity(card.id);
    work.setActivity(card.id, { ...activity, deliveries: activity.deliveries + made.length });
  }
  return made;
}

function draftOf(
  work: Work,
  card: Card,
  manifest: Manifest,
  contextKeys: readonly string[],
  tier: Tier,
  { channel, reasonCode, winningLayer, to }: Planned,
): Delivery {
  return {
    id: work.newId(),
    transactionId: manifest.transactionId,
    subscriberId: card.id,
    workflowKey: manifest.workflowKey,
    topicKey: manifest.topicKey,
    channel,
    tier,
    endpointId: to?.endpointId ?? "",
    identity: to?.identity ?? "",
    metadata: to?.metadata ?? {},
    endpointProvider: to?.provider ?? "",
    endpointConnection: to?.connection ?? "",
    contextKeys,
    status: "queued",
    integrationId: "",
    waitsFor: "",
    providerKey: "",
    providerMessageId: "",
    failure: null,
    reasonCode,
    winningLayer,
    retryAt: 0,
    generation: 1,
    attempt: 0,
    providerAttempts: 0,
    rounds: 0,
    tried: [],
    attempts: [],
    observations: 0,
    observationState: "",
    reconciliationRequired: false,
    deadLetterId: "",
    expiresAt: work.now + manifest.ttlMs,
    createdAt: work.now,
    updatedAt: work.now,
    sentAt: 0,
  };
}

function isPending(status: Delivery["status"]): boolean {
  return status === "queued" || status === "running";
}

/** Some members of a broadcast: by their preferences of now, in one commit with the count that the topic is told. */
export function fanOut(state: State, message: FanOut, context: Context): Decision<Event> {
  const work = new Work(state, context);
  const { transactionId, topic, members } = message;
  context.prefetch(members.flatMap(({ subscriberId }) => refsOf(subscriberId)));
  const manifest = message.manifest ?? work.manifest(transactionId);
  work.events.push(...retentionAt(state, context.now));
  work.events.push({ type: "fanned", transactionId, topic, members: members.length });
  if (message.manifest)
    work.events.push({
      type: "manifest_put",
      manifest: message.manifest,
      retentionDays: state.retentionDays,
    });
  for (const member of members) {
    const card = work.card(member.subscriberId);
    if (card && manifest) create(work, card, manifest, member, manifest.tiered ? "broadcast" : "direct");
    context.spend(limits.fanOutSteps);
  }
  return work.decided();
}

/** What a preview asks for; layers 1 and 2 are brought along. */
export interface Preview extends Asked {
  readonly subscriberId: string;
  readonly contextKeys: readonly string[];
  readonly channels: readonly Channel[];
  readonly timezone: string;
}

export function preview(asked: Preview, context: Context): Decision<Event> {
  const card = cards.get(asked.subscriberId, context);
  if (!card) return noSubscriber();
  const contextKeys = contextSet(asked.contextKeys);
  const decisions = resolve({
    layers: layersOf(card, asked, contextKeys),
    channels: asked.channels.length > 0 ? asked.channels : channels,
    timezone: card.profile.timezone ?? asked.timezone,
    variables: variablesOf(card, asked, contextKeys),
    now: context.now,
  });
  return { events: [], answer: { resolver_version: resolverVersion, channels: decisions } };
}
