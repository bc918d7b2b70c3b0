import { limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { Connection } from "../connection/record.ts";
import { noSubscription, seenSweepMs, statusEvents } from "./decide.ts";
import type { Incoming, Pending, Polling, Subscription } from "./record.ts";
import { deliveries, seen, seenAt, type TriggerEvent, type Triggers } from "./state.ts";

type Decided = Decision<TriggerEvent>;

/** A verified event of a webhook. One that was seen before changes nothing. */
export function receive(
  triggers: Triggers,
  { id, event }: { readonly id: string; readonly event: Incoming },
  context: Context,
): Decided {
  const subscription = triggers.subscriptions.get(id);
  if (subscription === undefined || subscription.status === "disabled") return noSubscription;
  if (context.get(seen, [id, event.id]) !== null) return { events: [], answer: { duplicate: true } };
  const { now } = context;
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
export function pollState(triggers: Triggers, id: string): Decided {
  const subscription = triggers.subscriptions.get(id);
  const polling = triggers.polling.get(id);
  if (subscription === undefined || polling === undefined) return noSubscription;
  return { events: [], answer: { subscription, polling } };
}

export function unseen(id: string, eventIds: readonly string[], context: Context): Decided {
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
export function polled(
  triggers: Triggers,
  {
    id,
    generation,
    result,
  }: { readonly id: string; readonly generation: number; readonly result: PollResult },
  context: Context,
): Decided {
  const subscription = triggers.subscriptions.get(id);
  const polling = triggers.polling.get(id);
  if (subscription === undefined || polling?.generation !== generation || result.type === "gone")
    return { events: [] };
  const { now } = context;
  const next: Polling = { ...polling, generation: generation + 1 };
  const later = now + subscription.pollSeconds * 1_000;
  if (result.type === "failed")
    return {
      events: [
        ...statusEvents(subscription, result.reason, now),
        { type: "poll_put", id, polling: next, pollAt: later },
      ],
    };
  const full = triggers.pendingCount + result.events.length > limits.triggerDeliveriesMax;
  if (full && !polling.baseline)
    return {
      events: [
        ...statusEvents(subscription, "too many events wait for their target", now),
        { type: "poll_put", id, polling: next, pollAt: later },
      ],
    };
  const ids = [...result.known, ...result.events.map((event) => event.id)];
  const known = seenIn(id, ids, context);
  const seenOf = new Map(ids.map((eventId, index) => [eventId, known[index] ?? undefined]));
  const fresh = result.events.filter((event) => seenOf.get(event.id) === undefined);
  const touched = result.known.flatMap((eventId) => {
    const at = seenOf.get(eventId);
    // Written anew only now and then: a list says the same each time.
    return at === undefined || now - at < limits.triggerSeenMs / 3 ? [] : [{ id: eventId, seenAt: at }];
  });
  const events = fresh.map((event) => ({ ...event, delivery: polling.baseline ? "" : context.newId() }));
  return {
    events: [
      ...statusEvents(subscription, undefined, now),
      ...(events.length + touched.length > 0
        ? [{ type: "events_received", id, events, touched } as const]
        : []),
      {
        type: "poll_put",
        id,
        polling: { ...next, baseline: polling.baseline && result.more, cursor: result.cursor },
        pollAt: result.more ? now : later,
      },
    ],
  };
}

/** What a handler takes to the target. */
export function deliveryOf(
  triggers: Triggers,
  { environment }: Connection,
  { id, delivery }: { readonly id: string; readonly delivery: string },
  context: Context,
): Decided {
  const subscription = triggers.subscriptions.get(id);
  const pending = triggers.pending.get(id)?.get(delivery);
  if (subscription === undefined || pending === undefined) return noSubscription;
  const event = context.get(deliveries, [id, delivery]);
  return { events: [], answer: { subscription, pending, event, environment } };
}

export type DeliverResult =
  | { readonly type: "delivered" }
  | { readonly type: "gone" }
  | { readonly type: "failed"; readonly reason: string };

export function delivered(
  triggers: Triggers,
  asked: {
    readonly id: string;
    readonly delivery: string;
    readonly attempt: number;
    readonly result: DeliverResult;
  },
  context: Context,
): Decided {
  const { id, delivery, attempt, result } = asked;
  const subscription = triggers.subscriptions.get(id);
  const pending = triggers.pending.get(id)?.get(delivery);
  if (subscription === undefined || pending?.attempt !== attempt || result.type === "gone")
    return { events: [] };
  const { now } = context;
  if (result.type === "delivered")
    return {
      events: [{ type: "delivery_ended", id, delivery }, ...statusEvents(subscription, undefined, now)],
    };
  const failing = statusEvents(subscription, result.reason, now);
  const dueMs = now + backOff(pending, context.random());
  if (dueMs > pending.receivedAt + limits.triggerDeliveryMs)
    return { events: [{ type: "delivery_ended", id, delivery, dropped: result.reason }, ...failing] };
  const next: Pending = { ...pending, attempt: attempt + 1 };
  return { events: [{ type: "delivery_put", id, delivery, pending: next, dueMs }, ...failing] };
}

function backOff({ attempt }: Pending, random: number): number {
  const most = Math.min(limits.executionBackOffMs * 2 ** attempt, limits.triggerBackOffMsMax);
  return Math.ceil((most * (1 + random)) / 2);
}

/** It is time to poll. One that is disabled waits until it is enabled. */
export function pollDue(triggers: Triggers, id: string): Decided {
  const subscription: Subscription | undefined = triggers.subscriptions.get(id);
  if (subscription === undefined || subscription.status === "disabled") return { events: [] };
  return { events: [{ type: "poll_due", id }] };
}

/** Ids of events that are too old to come again. */
export function forgetSeen(triggers: Triggers, context: Context): Decided {
  const { now } = context;
  const range = { to: [now - limits.triggerSeenMs], limit: limits.triggerSeenForgottenAtOnce };
  const old = context.scan(seenAt, range).map(({ key }) => key);
  const again = old.length === range.limit ? now : now + seenSweepMs;
  const goesOn = triggers.subscriptions.size > 0 || old.length === range.limit;
  return {
    events: [
      ...(old.length > 0 ? [{ type: "seen_forgotten", rows: old } as const] : []),
      ...(goesOn ? [{ type: "seen_due", atMs: again } as const] : []),
    ],
    frees: true,
  };
}
