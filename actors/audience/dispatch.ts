import { limits } from "#base";
import type { StoredRow } from "#runtime";
import type { Manifest } from "../notify/manifest.ts";
import {
  type Channel,
  channels,
  type IntegrationCopy,
  type PacerSlot,
  type SendOutcome,
} from "../notify/outbound/types.ts";
import { type Card, subscriberView } from "./card.ts";
import type { Attempt, DeadLetter, Delivery, DeliveryFailure, Tier } from "./delivery.ts";
import { type InboxContent, putInInbox } from "./inbox.ts";
import { tables } from "./rows.ts";
import { candidatesOf } from "./select.ts";
import { effectId, type SendRow } from "./send-body.ts";
import { tiers, type Waiting, waitingKey } from "./state.ts";
import { suppress } from "./suppress.ts";
import type { Work } from "./work.ts";

/** What the handler of an attempt returns. */
export type SendResult =
  | (Exclude<SendOutcome, { type: "maybe_sent" }> & { readonly inbox?: InboxContent })
  /** `keyed`: the provider performs a repeat once. */
  | (Extract<SendOutcome, { type: "maybe_sent" }> & { readonly keyed: boolean })
  /** Nothing was sent, and no integration is at fault. */
  | {
      readonly type: "unrendered";
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
    }
  /** The pacer's slot was over before the attempt began. */
  | { readonly type: "slot_lost" }
  /** The integration or the address has failed several times in a row: the provider was not called. */
  | { readonly type: "breaker_open"; readonly waitMs: number };

/**
 * Chooses an integration and starts an attempt, in one commit. A delivery without a slot or a grant waits; one that no integration
 * takes, or whose time is over, fails. `before`: as it is stored.
 */
export function start(
  work: Work,
  before: Delivery | null,
  queued: Delivery,
  card: Card,
  manifest: Manifest,
  slot?: PacerSlot & { readonly integrationId: string },
) {
  const delivery: Delivery = {
    ...queued,
    retryAt: 0,
    waitsFor: "",
    status: "queued",
    integrationId: "",
    updatedAt: work.now,
  };
  if (work.state.open.get(delivery.transactionId)?.cancelled)
    return skip(work, before, delivery, "cancelled");
  if (work.now >= delivery.expiresAt)
    return fail(work, before, delivery, failureOf("select", "EXPIRED", "its time to live is over"));
  const candidates = candidatesOf(work.state.integrations.values(), delivery, card, manifest, work.now);
  if (candidates.length === 0) {
    const detail = `no active integration for ${delivery.channel} fits`;
    return fail(work, before, delivery, failureOf("select", "NO_INTEGRATION", detail));
  }
  const next = candidates.find(({ id }) => !delivery.tried.includes(id));
  if (!next) return retryLater(work, before, delivery);
  if (next.rate) {
    if (slot?.integrationId === next.id) return run(work, before, delivery, next, card, slot);
    work.put(before, { ...delivery, integrationId: next.id });
  } else if (work.freeSlots(delivery.tier, next.id) > 0) run(work, before, delivery, next, card);
  else work.put(before, { ...delivery, waitsFor: next.id });
}

function run(
  work: Work,
  before: Delivery | null,
  delivery: Delivery,
  integration: IntegrationCopy,
  card: Card,
  slot: { readonly atMs: number; readonly untilMs: number } = { atMs: work.now, untilMs: 0 },
) {
  const attempt = delivery.attempt + 1;
  const { id: integrationId, providerKey, connectionId, casing, metadata } = integration;
  const { generation } = delivery;
  const begun: Attempt = {
    generation,
    attempt,
    integrationId,
    providerKey,
    startedAt: work.now,
    endedAt: 0,
    result: "",
    code: "",
  };
  const after: Delivery = {
    ...delivery,
    status: "running",
    integrationId,
    providerKey,
    attempt,
    attempts: [...delivery.attempts.slice(1 - limits.deliveryAttemptsShown), begun],
  };
  const body: SendRow = [
    delivery.transactionId,
    `${delivery.id}.${generation}`,
    delivery.channel,
    delivery.identity,
    delivery.metadata,
    subscriberView(card),
    integrationId,
    providerKey,
    connectionId,
    casing,
    metadata,
    delivery.expiresAt,
    slot.untilMs,
  ];
  work.put(before, after, { body, dueMs: slot.atMs });
}

/** An attempt has ended: what it leads to, and what may start in its place. */
export function attemptEnded(work: Work, id: string, result: SendResult) {
  const stored = work.delivery(id.slice(0, 26));
  if (stored?.status !== "running" || effectId(stored) !== id) return pump(work);
  if (result.type !== "accepted") work.prefetch([stored.id]);
  else if (result.inbox) work.context.prefetch([{ collection: tables.activity, key: [stored.subscriberId] }]);
  done(work, stored, result);
  pump(work, stored.integrationId);
  if (result.type === "accepted" && result.inbox) putInInbox(work, stored, result.inbox);
}

function done(work: Work, stored: Delivery, result: SendResult) {
  switch (result.type) {
    case "accepted": {
      const ended = withResult(work, stored, "accepted", "");
      const { providerMessageId } = result;
      settle(work, stored, "resolved");
      // What an earlier attempt failed with stays in the list of attempts.
      return work.put(stored, {
        ...ended,
        failure: null,
        status: "sent",
        providerMessageId,
        sentAt: work.now,
      });
    }
    case "refused": {
      const ended = withResult(work, stored, "refused", result.code);
      if (result.suppress) suppress(work, stored, result.suppress);
      return fail(work, stored, ended, failureOf(result.phase, result.code, result.message));
    }
    case "not_sent":
      return notSent(work, stored, result);
    case "maybe_sent":
      return maybeSent(work, stored, result);
    case "unrendered": {
      const ended = withResult(work, stored, "not_sent", result.code);
      const failure = failureOf("render", result.code, result.message);
      const most = result.code === "TIMEOUT" ? limits.renderTimeoutAttemptsMax : limits.deliveryAttemptsMax;
      if (!result.retryable || ended.attempt >= most) return fail(work, stored, ended, failure);
      return retryLater(work, stored, { ...ended, failure });
    }
    case "slot_lost":
      return again(work, stored, withoutAttempt(stored));
    case "breaker_open": {
      const failure =
        stored.failure ?? failureOf("connect", "BREAKER_OPEN", "it failed several times in a row");
      const tried = [...stored.tried, stored.integrationId];
      return again(work, stored, { ...withoutAttempt(stored), tried, failure }, result.waitMs);
    }
  }
}

/** It was no attempt: the provider was not called. */
function withoutAttempt(stored: Delivery): Delivery {
  return { ...stored, attempts: stored.attempts.slice(0, -1), attempt: stored.attempt - 1 };
}

function notSent(work: Work, stored: Delivery, result: Extract<SendResult, { type: "not_sent" }>) {
  const ended = withResult(work, stored, "not_sent", result.code);
  const failure = failureOf(result.phase, result.code, result.message);
  if (ended.attempt >= limits.deliveryAttemptsMax) return fail(work, stored, ended, failure);
  const tried = [...ended.tried, stored.integrationId];
  again(work, stored, { ...ended, tried, failure }, result.retryAfterMs);
}

/** With the next candidate, or later where none is left. */
function again(work: Work, stored: Delivery, delivery: Delivery, retryAfterMs = 0) {
  const card = work.card(stored.subscriberId);
  const manifest = work.manifest(stored.transactionId);
  if (!card || !manifest)
    return fail(work, stored, delivery, failureOf("select", "FORGOTTEN", "what it sends is gone"));
  const candidates = candidatesOf(work.state.integrations.values(), delivery, card, manifest, work.now);
  const left = candidates.some(({ id }) => !delivery.tried.includes(id));
  if (left || candidates.length === 0) return start(work, stored, delivery, card, manifest);
  retryLater(work, stored, delivery, retryAfterMs);
}

/** The provider may have it: it is sent again only where the provider drops repeats, or the integration has on_unknown `resend`. */
function maybeSent(work: Work, stored: Delivery, result: Extract<SendResult, { type: "maybe_sent" }>) {
  const ended = withResult(work, stored, "maybe_sent", result.code);
  const integration = work.state.integrations.get(stored.integrationId);
  const repeats = result.keyed || integration?.onUnknown === "resend";
  const card = work.card(stored.subscriberId);
  if (!repeats || !integration || !card || ended.attempt >= limits.deliveryAttemptsMax) {
    const failure = failureOf(result.phase, "OUTCOME_UNKNOWN", result.message);
    return fail(work, stored, { ...ended, reconciliationRequired: true }, failure);
  }
  const atMs = work.now + backOff(work, ended.attempt - 1);
  run(
    work,
    stored,
    { ...ended, failure: failureOf(result.phase, result.code, result.message) },
    integration,
    card,
    { atMs, untilMs: 0 },
  );
}

function retryLater(work: Work, before: Delivery | null, delivery: Delivery, retryAfterMs = 0) {
  const waitMs = Math.max(
    backOff(work, delivery.rounds),
    Math.min(retryAfterMs, limits.deliveryRetryAfterMsMax),
  );
  work.put(before, {
    ...delivery,
    status: "queued",
    integrationId: "",
    tried: [],
    rounds: delivery.rounds + 1,
    retryAt: Math.min(work.now + waitMs, delivery.expiresAt),
    updatedAt: work.now,
  });
}

/** 2 s, three times as long after every round, up to 15 minutes; half of it is drawn. */
function backOff({ context }: Work, rounds: number): number {
  const full = Math.min(limits.deliveryBackOffMs * 3 ** rounds, limits.deliveryBackOffMsMax);
  return Math.ceil(full * (0.5 + context.random() / 2));
}

function fail(work: Work, before: Delivery | null, delivery: Delivery, failure: DeliveryFailure) {
  const { id, transactionId, subscriberId, workflowKey, channel } = delivery;
  const known = work.letter(delivery.deadLetterId);
  const letter: DeadLetter = {
    id: known?.id ?? work.newId(),
    deliveryId: id,
    transactionId,
    subscriberId,
    workflowKey,
    channel,
    reason: failure.code,
    phase: failure.phase,
    status: "open",
    redriveCount: known?.redriveCount ?? 0,
    createdAt: known?.createdAt ?? work.now,
    updatedAt: work.now,
  };
  work.putLetter(known, letter);
  work.put(before, {
    ...delivery,
    retryAt: 0,
    waitsFor: "",
    status: "failed",
    failure,
    deadLetterId: letter.id,
    updatedAt: work.now,
  });
}

export function skip(work: Work, before: Delivery | null, delivery: Delivery, reasonCode: string) {
  settle(work, delivery, "resolved");
  work.put(before, {
    ...delivery,
    retryAt: 0,
    waitsFor: "",
    status: "skipped",
    reasonCode,
    updatedAt: work.now,
  });
}

/** Where it has a dead letter, that one gets this status. */
export function settle(work: Work, { deadLetterId }: Delivery, status: DeadLetter["status"]) {
  const letter = work.letter(deadLetterId);
  if (!letter || letter.status === status) return;
  work.putLetter(letter, { ...letter, status, updatedAt: work.now });
}

/**
 * Starts what waits, as far as slots are free: direct deliveries first. What waits for an integration without a slot is not read.
 * `freed`: the integration whose attempt has ended.
 */
export function pump(work: Work, freed?: string) {
  if (work.state.waiting.size === 0) return;
  const ranges = tiers.flatMap((tier) => channels.flatMap((channel) => rangeOf(work, tier, channel, freed)));
  work.context.prefetch(ranges.map((range) => ({ ...range, collection: tables.waiting })));
  const found = ranges.map((range) => ({ ...range, rows: work.context.scan(tables.waiting, range) }));
  work.prefetch(found.flatMap((queue) => startable(work, queue)));
  for (const queue of found) for (const id of startable(work, queue)) restart(work, id);
}

/** Where a delivery stands that waits for a slot; nothing where none may start now. */
function rangeOf(work: Work, tier: Tier, channel: Channel, freed: string | undefined) {
  const waiting = work.state.waiting.get(waitingKey(tier, channel)) ?? 0;
  const free = Math.min(waiting, work.freeSlots(tier));
  if (free === 0 || isTooSoon(work, tier, waiting, freed)) return [];
  const of = [...work.state.integrations.values()].filter((one) => one.channel === channel);
  const only = of.length === 1 ? work.freeSlots(tier, of[0]!.id) : limits.deliveriesStartedAtOnce;
  const limit = Math.min(only, limits.deliveriesStartedAtOnce);
  return limit === 0 ? [] : [{ tier, prefix: [tiers.indexOf(tier), channel], limit }];
}

interface Queue {
  readonly tier: Tier;
  readonly rows: readonly StoredRow<Waiting, readonly [number, string, string]>[];
}

/** As many as have a slot. */
function startable(work: Work, { tier, rows }: Queue): readonly string[] {
  const left = new Map<string, number>();
  const ids = rows.flatMap(({ key, value: { waitsFor = "" } }) => {
    const slots = left.get(waitsFor) ?? work.freeSlots(tier, waitsFor);
    if (slots === 0) return [];
    left.set(waitsFor, slots - 1);
    return [key[2]];
  });
  return ids.slice(0, work.freeSlots(tier));
}

/** Each start of waiting deliveries reads rows: those of broadcasts start some at a time, and at the latest when half of the slots are free. */
function isTooSoon(work: Work, tier: Tier, waiting: number, freed: string | undefined): boolean {
  if (tier === "direct" || freed === undefined) return false;
  const running = work.runningOf({ tier, integrationId: freed });
  const least = Math.min(waiting, limits.broadcastSlotsRefilled, Math.max(1, running));
  return work.freeSlots(tier, freed) < least;
}

/** A delivery that waits is tried again, if it still waits. */
export function restart(work: Work, id: string, slot?: PacerSlot & { readonly integrationId: string }) {
  const delivery = work.delivery(id);
  if (delivery?.status !== "queued") return;
  const card = work.card(delivery.subscriberId);
  const manifest = work.manifest(delivery.transactionId);
  if (!card || !manifest)
    return fail(work, delivery, delivery, failureOf("select", "FORGOTTEN", "what it sends is gone"));
  start(work, delivery, delivery, card, manifest, slot);
}

function withResult({ now }: Work, delivery: Delivery, result: Attempt["result"], code: string): Delivery {
  const last = delivery.attempts.at(-1)!;
  return {
    ...delivery,
    providerAttempts: delivery.providerAttempts + 1,
    attempts: [...delivery.attempts.slice(0, -1), { ...last, endedAt: now, result, code }],
    updatedAt: now,
  };
}

function failureOf(phase: DeliveryFailure["phase"], code: string, detail: string): DeliveryFailure {
  return { phase, code, detail: detail.slice(0, limits.deliveryDetailLengthMax) };
}
