import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Event, Unit } from "../connection/state.ts";
import { noSubscription, seenSweepMs, statusEvents } from "./decide.ts";
import type { Incoming, Pending, Polling } from "./record.ts";
import { deliveries, seen, seenAt } from "./state.ts";

/** A verified event of a webhook. One that was seen before changes nothing. */
export function receive({ state, context, now }: Unit, id: string, event: Incoming): Decision<Event> {
  const { triggers } = state;
  const subscription = triggers.subscriptions.get(id);
  if (subscription === undefined || subscription.status === "disabled") return noSubscription;
  if (context.get(seen, [id, event.id]) !== null) return { events: [], answer: { duplicate: true } };
  const interval = 1_000 / limits.triggerEventsPerSecond;
  const pace = Math.max(now, triggers.paceMs.get(id) ?? 0);
  if (pace - now > 1_000)
    return refuse("RATE_LIMITED", `more than ${limits.triggerEventsPerSecond} events a second`, {
      retryAfterMs: 1_000,
    });
  if (triggers.pendingCount >= limits.triggerDeliveriesMax)
    return refuse("RATE_LIMITED", `${triggers.pendingCount} events wait for their targets`, {
      retryAfterMs: limits.retryAfterMs,
    });
  const events = [{ ...event, delivery: context.newId() }];
  return {
    events: [{ type: "events_received", id, events, paceMs: pace + interval }],
    answer: { duplicate: false },
  };
}

/** When each of them was last seen; `null`: never. */
function seenIn(id: string, eventIds: readonly string[], context: Context): readonly (number | null)[] {
  return context.getMany(
    seen,
    eventIds.map((eventId) => [id, eventId] as const),
  );
}

/** What the handler of a poll begins with, and which of the ids that it found are new. */
export function pollState({ state: { triggers } }: Unit, id: string): Decision<Event> {
  const subscription = triggers.subscriptions.get(id);
  const polling = triggers.polling.get(id);
  if (subscription === undefined || polling === undefined) return noSubscription;
  return { events: [], answer: { subscription, polling } };
}

export function unseen(id: string, eventIds: readonly string[], context: Context): Decision<Event> {
  const known = seenIn(id, eventIds, context);
  return { events: [], answer: { unseen: eventIds.filter((_, index) => known[index] === null) } };
}

export type PollResult =
  /** `more`: some of what is there has to wait for the next poll, which is soon. */
  | {
      readonly type: "polled";
      readonly events: readonly Incoming[];
      readonly known: readonly string[];
      readonly cursor: unknown;
      readonly more: boolean;
    }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "gone" };

/** The cursor and the events that it is about are one commit. */
export function polled(unit: Unit, id: string, generation: number, result: PollResult): Decision<Event> {
  const { triggers } = unit.state;
  const subscription = triggers.subscriptions.get(id);
  const polling = triggers.polling.get(id);
  if (subscription === undefined || polling?.generation !== generation || result.type === "gone")
    return { events: [] };
  const next: Polling = { ...polling, generation: generation + 1 };
  const later = unit.now + subscription.pollSeconds * 1_000;
  const put = (reason: string | undefined, polling: Polling, pollAt = later): Event[] => [
    ...statusEvents(subscription, reason, unit.now),
    { type: "poll_put", id, polling, pollAt },
  ];
  if (result.type === "failed") return { events: put(result.reason, next) };
  const full = triggers.pendingCount + result.events.length > limits.triggerDeliveriesMax;
  if (full && !polling.baseline) return { events: put("too many events wait for their target", next) };
  const { more, cursor } = result;
  const read = { ...next, baseline: polling.baseline && more, cursor };
  return {
    events: [...newIn(unit, id, result, polling.baseline), ...put(undefined, read, more ? unit.now : later)],
  };
}

/** What a poll has found; `baseline`: it is only noted. */
function newIn(
  { context, now }: Unit,
  id: string,
  { known, events: found }: Extract<PollResult, { type: "polled" }>,
  baseline: boolean,
): Event[] {
  const ids = [...known, ...found.map((event) => event.id)];
  const rows = seenIn(id, ids, context);
  const seenOf = new Map(ids.map((eventId, index) => [eventId, rows[index] ?? undefined]));
  const touched = known.flatMap((eventId) => {
    const at = seenOf.get(eventId);
    // Written anew only now and then: a list says the same each time.
    return at === undefined || now - at < limits.triggerSeenMs / 3 ? [] : [{ id: eventId, seenAt: at }];
  });
  const events = found
    .filter((event) => seenOf.get(event.id) === undefined)
    .map((event) => ({ ...event, delivery: baseline ? "" : context.newId() }));
  return events.length + touched.length > 0 ? [{ type: "events_received", id, events, touched }] : [];
}

/** What a handler takes to the target. */
export function deliveryOf(
  { state: { triggers }, record, context }: Unit,
  id: string,
  delivery: string,
): Decision<Event> {
  const subscription = triggers.subscriptions.get(id);
  const pending = triggers.pending.get(id)?.get(delivery);
  if (subscription === undefined || pending === undefined) return noSubscription;
  const event = context.get(deliveries, [id, delivery]);
  return { events: [], answer: { subscription, pending, event, environment: record.environment } };
}

export type DeliverResult =
  | { readonly type: "delivered" }
  | { readonly type: "gone" }
  | { readonly type: "failed"; readonly reason: string };

export function delivered(
  { state: { triggers }, context, now }: Unit,
  { id, delivery, attempt }: { readonly id: string; readonly delivery: string; readonly attempt: number },
  result: DeliverResult,
): Decision<Event> {
  const subscription = triggers.subscriptions.get(id);
  const pending = triggers.pending.get(id)?.get(delivery);
  if (subscription === undefined || pending?.attempt !== attempt || result.type === "gone")
    return { events: [] };
  const ended = { type: "delivery_ended", id, delivery } as const;
  if (result.type === "delivered") return { events: [ended, ...statusEvents(subscription, undefined, now)] };
  const failing = statusEvents(subscription, result.reason, now);
  const dueMs = now + backOff(pending, context.random());
  if (dueMs > pending.receivedAt + limits.triggerDeliveryMs)
    return { events: [{ ...ended, dropped: result.reason }, ...failing] };
  const next: Pending = { ...pending, attempt: attempt + 1 };
  return { events: [{ type: "delivery_put", id, delivery, pending: next, dueMs }, ...failing] };
}

function backOff({ attempt }: Pending, random: number): number {
  const most = Math.min(limits.executionBackOffMs * 2 ** attempt, limits.triggerBackOffMsMax);
  return Math.ceil((most * (1 + random)) / 2);
}

/** It is time to poll. One that is disabled waits until it is enabled. */
export function pollDue({ state: { triggers }, now }: Unit, id: string): Decision<Event> {
  const subscription = triggers.subscriptions.get(id);
  if (subscription === undefined || subscription.status === "disabled") return { events: [] };
  const effect = `poll.${id}.${triggers.polling.get(id)!.generation}`;
  const body = { subscription: id };
  return { events: [{ type: "effect_asked", what: "poll", id: effect, dueMs: now, body }] };
}

/** Ids of events that are too old to come again. */
export function forgetSeen({ state, context, now }: Unit): Decision<Event> {
  const limit = limits.triggerSeenForgottenAtOnce;
  const oldest = context.scan(seenAt, { limit }).map(({ key }) => key);
  const old = oldest.filter(([atMs]) => atMs < now - limits.triggerSeenMs);
  const more = old.length === limit;
  const again: Event = { type: "timer_set", id: "seen", atMs: more ? now : now + seenSweepMs };
  return {
    events: [
      ...(old.length > 0 ? [{ type: "seen_forgotten", rows: old } as const] : []),
      ...(more || state.triggers.subscriptions.size > 0 ? [again] : []),
    ],
    frees: true,
  };
}
