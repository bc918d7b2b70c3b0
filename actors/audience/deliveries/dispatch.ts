import { limits } from "#base";
import type { StoredRow } from "#runtime";
import {
  type Channel,
  channels,
  type IntegrationCopy,
  type PacerSlot,
  type SendOutcome,
} from "../../notify/outbound/types.ts";
import { type InboxContent, putInInbox } from "../inbox.ts";
import { tables } from "../rows.ts";
import { countKeys, tiers } from "../state.ts";
import { subscriberView } from "../subscribers/record.ts";
import { suppress } from "../subscribers/suppress.ts";
import type { Sending, UnitOfWork } from "../unit-of-work.ts";
import type { Attempt, DeadLetter, Delivery, DeliveryFailure, Tier } from "./record.ts";
import { candidatesOf } from "./select.ts";
import { effectId, type SendRow } from "./send-body.ts";

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

type Slot = PacerSlot & { readonly integrationId: string };

/**
 * Chooses an integration and starts an attempt, in one commit. A delivery without a slot or a grant waits; one that no integration
 * takes, or whose time is over, fails. `before`: as it is stored; `sending`: absent where it is kept no more.
 */
export function start(
  unit: UnitOfWork,
  before: Delivery | null,
  queued: Delivery,
  sending: Sending | undefined,
  slot?: Slot,
) {
  const waits = { retryAt: 0, waitsFor: "", status: "queued", integrationId: "" } as const;
  const delivery: Delivery = { ...queued, ...waits };
  if (!sending) return fail(unit, before, queued, "select", "FORGOTTEN", "what it sends is gone");
  if (unit.state.open.get(delivery.transactionId)?.cancelled)
    return skip(unit, before, delivery, "cancelled");
  if (unit.now >= delivery.expiresAt)
    return fail(unit, before, delivery, "select", "EXPIRED", "its time to live is over");
  const candidates = candidatesOf(unit, delivery, sending);
  if (candidates.length === 0) {
    const detail = `no active integration for ${delivery.channel} fits`;
    return fail(unit, before, delivery, "select", "NO_INTEGRATION", detail);
  }
  const next = candidates.find(({ id }) => !delivery.tried.includes(id));
  if (!next) return retryLater(unit, before, delivery);
  if (next.rate) {
    if (slot?.integrationId === next.id) return run(unit, before, delivery, next, sending, slot);
    unit.put(before, { ...delivery, integrationId: next.id });
  } else if (unit.freeSlots(delivery.tier, next.id) > 0) run(unit, before, delivery, next, sending);
  else unit.put(before, { ...delivery, waitsFor: next.id });
}

function run(
  unit: UnitOfWork,
  before: Delivery | null,
  delivery: Delivery,
  integration: IntegrationCopy,
  { subscriber }: Pick<Sending, "subscriber">,
  slot: Pick<Slot, "atMs" | "untilMs"> = { atMs: unit.now, untilMs: 0 },
) {
  const { id: integrationId, providerKey, connectionId, casing, metadata } = integration;
  const { generation } = delivery;
  const attempt = delivery.attempt + 1;
  const ran = { generation, attempt, integrationId, providerKey };
  const begun: Attempt = { ...ran, startedAt: unit.now, endedAt: 0, result: "", code: "" };
  const attempts = [...delivery.attempts.slice(1 - limits.deliveryAttemptsShown), begun];
  const body: SendRow = [
    delivery.transactionId,
    `${delivery.id}.${generation}`,
    delivery.channel,
    delivery.identity,
    delivery.metadata,
    subscriberView(subscriber),
    integrationId,
    providerKey,
    connectionId,
    casing,
    metadata,
    delivery.expiresAt,
    slot.untilMs,
  ];
  unit.put(before, { ...delivery, ...ran, status: "running", attempts }, { body, dueMs: slot.atMs });
}

/** An attempt has ended: what it leads to, and what may start in its place. */
export function attemptEnded(unit: UnitOfWork, id: string, result: SendResult) {
  const stored = unit.delivery(id.slice(0, 26));
  if (stored?.status !== "running" || effectId(stored) !== id) return pump(unit);
  if (result.type !== "accepted") unit.prefetch([stored.id]);
  else if (result.inbox) unit.context.prefetch([{ collection: tables.activity, key: [stored.subscriberId] }]);
  done(unit, stored, result);
  pump(unit, stored.integrationId);
  if (result.type === "accepted" && result.inbox) putInInbox(unit, stored, result.inbox);
}

function done(unit: UnitOfWork, stored: Delivery, result: SendResult) {
  switch (result.type) {
    case "accepted": {
      const ended = withResult(unit, stored, "accepted", "");
      const { providerMessageId } = result;
      settle(unit, stored, "resolved");
      // What an earlier attempt failed with stays in the list of attempts.
      const sent = { failure: null, status: "sent", providerMessageId, sentAt: unit.now } as const;
      return unit.put(stored, { ...ended, ...sent });
    }
    case "refused": {
      const ended = withResult(unit, stored, "refused", result.code);
      if (result.suppress) suppress(unit, stored, result.suppress);
      return fail(unit, stored, ended, result.phase, result.code, result.message);
    }
    case "not_sent": {
      const { phase, code, message, retryAfterMs } = result;
      const ended = withResult(unit, stored, "not_sent", code);
      if (ended.attempt >= limits.deliveryAttemptsMax) return fail(unit, stored, ended, phase, code, message);
      const failure = failureOf(phase, code, message);
      return again(unit, stored, { ...ended, tried: triedBy(stored), failure }, retryAfterMs);
    }
    case "maybe_sent":
      return maybeSent(unit, stored, result);
    case "unrendered": {
      const { code, message, retryable } = result;
      const ended = withResult(unit, stored, "not_sent", code);
      const most = code === "TIMEOUT" ? limits.renderTimeoutAttemptsMax : limits.deliveryAttemptsMax;
      if (!retryable || ended.attempt >= most) return fail(unit, stored, ended, "render", code, message);
      return retryLater(unit, stored, { ...ended, failure: failureOf("render", code, message) });
    }
    case "slot_lost":
      return again(unit, stored, withoutAttempt(stored));
    case "breaker_open": {
      const open = failureOf("connect", "BREAKER_OPEN", "it failed several times in a row");
      const tried = triedBy(stored);
      const delivery = { ...withoutAttempt(stored), tried, failure: stored.failure ?? open };
      return again(unit, stored, delivery, result.waitMs);
    }
  }
}

/** It was no attempt: the provider was not called. */
function withoutAttempt(stored: Delivery): Delivery {
  return { ...stored, attempts: stored.attempts.slice(0, -1), attempt: stored.attempt - 1 };
}

function triedBy({ tried, integrationId }: Delivery): readonly string[] {
  return [...tried, integrationId];
}

/** With the next candidate, or later where none is left. */
function again(unit: UnitOfWork, stored: Delivery, delivery: Delivery, retryAfterMs = 0) {
  const sending = unit.sendingOf(stored);
  const candidates = sending ? candidatesOf(unit, delivery, sending) : [];
  const left = candidates.some(({ id }) => !delivery.tried.includes(id));
  if (left || candidates.length === 0) return start(unit, stored, delivery, sending);
  retryLater(unit, stored, delivery, retryAfterMs);
}

/** The provider may have it: it is sent again only where the provider drops repeats, or the integration has on_unknown `resend`. */
function maybeSent(unit: UnitOfWork, stored: Delivery, result: Extract<SendResult, { type: "maybe_sent" }>) {
  const { phase, code, message } = result;
  const ended = withResult(unit, stored, "maybe_sent", code);
  const integration = unit.state.integrations.get(stored.integrationId);
  const repeats = result.keyed || integration?.onUnknown === "resend";
  const subscriber = unit.subscriber(stored.subscriberId);
  if (!repeats || !integration || !subscriber || ended.attempt >= limits.deliveryAttemptsMax)
    return fail(unit, stored, { ...ended, reconciliationRequired: true }, phase, "OUTCOME_UNKNOWN", message);
  const delivery = { ...ended, failure: failureOf(phase, code, message) };
  const atMs = unit.now + backOff(unit, ended.attempt - 1);
  run(unit, stored, delivery, integration, { subscriber }, { atMs, untilMs: 0 });
}

function retryLater(unit: UnitOfWork, before: Delivery | null, delivery: Delivery, retryAfterMs = 0) {
  const waitMs = Math.max(
    backOff(unit, delivery.rounds),
    Math.min(retryAfterMs, limits.deliveryRetryAfterMsMax),
  );
  const retryAt = Math.min(unit.now + waitMs, delivery.expiresAt);
  const waits = { status: "queued", integrationId: "", tried: [], rounds: delivery.rounds + 1 } as const;
  unit.put(before, { ...delivery, ...waits, retryAt });
}

/** 2 s, three times as long after every round, up to 15 minutes; half of it is drawn. */
function backOff({ context }: UnitOfWork, rounds: number): number {
  const full = Math.min(limits.deliveryBackOffMs * 3 ** rounds, limits.deliveryBackOffMsMax);
  return Math.ceil(full * (0.5 + context.random() / 2));
}

function fail(
  unit: UnitOfWork,
  before: Delivery | null,
  delivery: Delivery,
  ...why: Parameters<typeof failureOf>
) {
  const { id, transactionId, subscriberId, workflowKey, channel } = delivery;
  const failure = failureOf(...why);
  const known = unit.letter(delivery.deadLetterId);
  const letter: DeadLetter = {
    id: known?.id ?? unit.newId(),
    deliveryId: id,
    transactionId,
    subscriberId,
    workflowKey,
    channel,
    reason: failure.code,
    phase: failure.phase,
    status: "open",
    redriveCount: known?.redriveCount ?? 0,
    createdAt: known?.createdAt ?? unit.now,
    updatedAt: unit.now,
  };
  unit.putLetter(known, letter);
  unit.put(before, { ...delivery, status: "failed", failure, deadLetterId: letter.id });
}

export function skip(unit: UnitOfWork, before: Delivery | null, delivery: Delivery, reasonCode: string) {
  settle(unit, delivery, "resolved");
  unit.put(before, { ...delivery, status: "skipped", reasonCode });
}

/** Where it has a dead letter, that one gets this status. */
export function settle(unit: UnitOfWork, { deadLetterId }: Delivery, status: DeadLetter["status"]) {
  const letter = unit.letter(deadLetterId);
  if (!letter || letter.status === status) return;
  unit.putLetter(letter, { ...letter, status, updatedAt: unit.now });
}

/**
 * Starts what waits, as far as slots are free: direct deliveries first. What waits for an integration without a slot is not read.
 * `freed`: the integration whose attempt has ended.
 */
export function pump(unit: UnitOfWork, freed?: string) {
  const ranges = tiers.flatMap((tier) => channels.flatMap((channel) => rangeOf(unit, tier, channel, freed)));
  if (ranges.length === 0) return;
  unit.context.prefetch(ranges.map((range) => ({ ...range, collection: tables.waiting })));
  const found = ranges.map((range) => ({ ...range, rows: unit.context.scan(tables.waiting, range) }));
  unit.prefetch(found.flatMap((queue) => startable(unit, queue)));
  for (const queue of found) for (const id of startable(unit, queue)) restart(unit, id);
}

/** Where a delivery stands that waits for a slot; nothing where none may start now. */
function rangeOf(unit: UnitOfWork, tier: Tier, channel: Channel, freed: string | undefined) {
  const waiting = unit.state.counts.get(countKeys.waiting(tier, channel)) ?? 0;
  const free = Math.min(waiting, unit.freeSlots(tier));
  if (free === 0 || isTooSoon(unit, tier, waiting, freed)) return [];
  const of = [...unit.state.integrations.values()].filter((one) => one.channel === channel);
  const only = of.length === 1 ? unit.freeSlots(tier, of[0]!.id) : limits.deliveriesStartedAtOnce;
  const limit = Math.min(only, limits.deliveriesStartedAtOnce);
  return limit === 0 ? [] : [{ tier, prefix: [tiers.indexOf(tier), channel], limit }];
}

interface Queue {
  readonly tier: Tier;
  readonly rows: readonly StoredRow<Pick<Delivery, "waitsFor">, readonly [number, string, string]>[];
}

/** As many as have a slot. */
function startable(unit: UnitOfWork, { tier, rows }: Queue): readonly string[] {
  const left = new Map<string, number>();
  const ids = rows.flatMap(({ key, value: { waitsFor } }) => {
    const slots = left.get(waitsFor) ?? unit.freeSlots(tier, waitsFor);
    if (slots === 0) return [];
    left.set(waitsFor, slots - 1);
    return [key[2]];
  });
  return ids.slice(0, unit.freeSlots(tier));
}

/** Each start of waiting deliveries reads rows: those of broadcasts start some at a time, and at the latest when half of the slots are free. */
function isTooSoon(unit: UnitOfWork, tier: Tier, waiting: number, freed: string | undefined): boolean {
  if (tier === "direct" || freed === undefined) return false;
  const running = Math.max(1, unit.running(tier, freed));
  const least = Math.min(waiting, limits.broadcastSlotsRefilled, running);
  return unit.freeSlots(tier, freed) < least;
}

/** A delivery that waits is tried again, if it still waits. */
export function restart(unit: UnitOfWork, id: string, slot?: Slot) {
  const delivery = unit.delivery(id);
  if (delivery?.status === "queued") start(unit, delivery, delivery, unit.sendingOf(delivery), slot);
}

function withResult(
  { now }: UnitOfWork,
  delivery: Delivery,
  result: Attempt["result"],
  code: string,
): Delivery {
  const last = { ...delivery.attempts.at(-1)!, endedAt: now, result, code };
  const attempts = [...delivery.attempts.slice(0, -1), last];
  return { ...delivery, providerAttempts: delivery.providerAttempts + 1, attempts };
}

function failureOf(phase: DeliveryFailure["phase"], code: string, detail: string): DeliveryFailure {
  return { phase, code, detail: detail.slice(0, limits.deliveryDetailLengthMax) };
}
