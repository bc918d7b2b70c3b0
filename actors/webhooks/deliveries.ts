/** What comes of the events that were taken, and of each attempt to send one. */
import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import { type Delivery, deliveries, endedRows, isOpen, statusOf, type Webhook } from "./record.ts";
import type { Changed, Event, State } from "./state.ts";

/** An event, as it is going to be sent. */
export interface Given {
  readonly eventId: string;
  readonly kind: string;
  readonly subject: string;
  readonly body: string;
}

/** What the pump returns. */
export interface Taken {
  /** Where it began: it counts only there. */
  readonly from: readonly number[];
  readonly events: readonly Given[];
  readonly position: readonly number[];
  /** Some are no longer kept: these begin with what comes next. */
  readonly gap?: true;
  /** Nothing is sent here now. */
  readonly off?: true;
}

/** What a send returns. */
export interface Settled {
  readonly id: string;
  readonly generation: number;
  /** 0: no answer. */
  readonly status: number;
  readonly error: string;
  readonly retryAfterMs?: number;
  readonly off?: true;
}

export function newDelivery(
  { eventId, kind, subject, body }: Given,
  place: number,
  context: Context,
): Delivery {
  const { now, address } = context;
  const bytes = Buffer.byteLength(body);
  const times = { createdAt: now, updatedAt: now };
  const none = { attempts: 0, generation: 0, nextAt: 0, lastStatus: 0, lastError: "" };
  return {
    id: context.newId(address.key),
    eventId,
    kind,
    subject,
    place,
    state: "pending",
    ...none,
    bytes,
    ...times,
  };
}

/** Sent once more; one that is on its way stays as it is, and one that has ended is the last in line. */
export function redelivered(delivery: Delivery, last: number, now: number): Delivery {
  if (delivery.state === "pending" || delivery.state === "sending") return delivery;
  const place = isOpen(delivery) ? delivery.place : last;
  return { ...delivery, place, state: "pending", attempts: 0, nextAt: 0, updatedAt: now };
}

/** The delivery that this attempt is of, while it counts. */
export function openOf({ line, record }: State, id: string, generation: number): Delivery | null {
  const delivery = line.get(id);
  const counts = delivery?.state === "sending" && delivery.generation === generation;
  return counts && statusOf(record!) === "active" ? delivery : null;
}

/** A page of events becomes deliveries, where there is room for them. */
export function take(state: State, taken: Taken, context: Context): Decision<Event> {
  const { now } = context;
  const again = (pumpAt: number): Decision<Event> => ({ events: [{ type: "changed", pumpAt }] });
  if (taken.off) return again(now + limits.webhookOffMs);
  if (taken.from.join() !== state.position.join()) return again(now);
  const { placed } = state.flow;
  const added = taken.events.map((given, i) => ({
    before: null,
    after: newDelivery(given, placed + i, context),
    body: given.body,
  }));
  const bytes = added.reduce((sum, { after }) => sum + after.bytes, 0);
  const { forgets, kept, isEnough } = roomFor(state, added.length, bytes, context);
  // The page is taken when enough has gone.
  if (!isEnough && forgets.length > 0)
    return { events: [{ type: "changed", flow: { bytes: kept }, forgets, pumpAt: now }] };
  if (!isEnough) return again(now + limits.webhookFullMs);
  const flow = { bytes: kept + bytes, placed: placed + added.length, ...(taken.gap && { lastGap: now }) };
  const publishes = taken.gap ? [{ what: "gap" }] : [];
  return {
    events: [
      { type: "changed", flow, position: taken.position, pumpAt: now, puts: added, forgets, publishes },
    ],
  };
}

interface Room {
  readonly forgets: readonly Delivery[];
  /** Bytes that are left without those. */
  readonly kept: number;
  readonly isEnough: boolean;
}

/** What has ended goes first where there is no room, some at a time. */
export function roomFor(state: State, count: number, bytes: number, context: Context): Room {
  let over = deliveries.total(state.counts) + count - limits.webhookOpenMax;
  let overBytes = state.flow.bytes + bytes - limits.webhookBytesMax;
  const forgets: Delivery[] = [];
  if (over <= 0 && overBytes <= 0) return { forgets, kept: state.flow.bytes, isEnough: true };
  const rows = context.scan(endedRows, { limit: limits.webhookStepMax });
  for (const one of deliveries.getMany(
    rows.map(({ key: [, id] }) => id),
    context,
  )) {
    if (over <= 0 && overBytes <= 0) break;
    if (one === null || state.line.get(one.id) !== undefined) continue;
    forgets.push(one);
    over--;
    overBytes -= one.bytes;
  }
  const kept = state.flow.bytes - forgets.reduce((sum, one) => sum + one.bytes, 0);
  return { forgets, kept, isEnough: over <= 0 && overBytes <= 0 };
}

/** Waits before the second attempt, the third, and so on. */
const waitsMs = [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600_000)];
/** No answer is one of them: attempts that all wait for their time to be over keep those of other endpoints waiting. */
const crowded = [0, 429, 502, 504];

export function settle(state: State, settled: Settled, context: Context): Decision<Event> {
  const { now } = context;
  const record = state.record!;
  const before = state.line.get(settled.id);
  if (before?.state !== "sending" || before.generation !== settled.generation) return { events: [] };
  const put = (after: Delivery, more: Omit<Changed, "type" | "puts"> = {}): Decision<Event> => ({
    events: [{ type: "changed", puts: [{ before, after: { ...after, updatedAt: now } }], ...more }],
  });
  if (settled.off) return put({ ...before, state: "retry_wait", nextAt: now + limits.webhookOffMs });
  const { status, error: lastError } = settled;
  const attempts = before.attempts + 1;
  const after: Delivery = { ...before, attempts, lastStatus: status, lastError };
  const { window, failingSince } = state.flow;
  if (status >= 200 && status < 300) {
    const flow = { failingSince: 0, window: Math.min(window + 1, record.maxInFlight) };
    const isSame = failingSince === 0 && flow.window === window;
    return put({ ...after, state: "delivered" }, isSame ? {} : { flow });
  }
  const since = failingSince || now;
  const flow = { failingSince: since, window: crowded.includes(status) ? Math.max(1, window >> 1) : window };
  if (statusOf(record) === "disabled") return put({ ...after, state: "held" }, { flow });
  const reason = status === 410 ? "gone" : now - since >= limits.webhookFailingMs ? "failing" : undefined;
  if (reason !== undefined) {
    const disabled: Webhook = {
      ...record,
      disabledReason: reason,
      recordVersion: record.recordVersion + 1,
      updatedAt: now,
    };
    return put(
      { ...after, state: "held" },
      { flow, record: disabled, publishes: [{ what: "disabled", more: { reason } }] },
    );
  }
  const wait = waitsMs[attempts - 1];
  if (wait === undefined) {
    const more = { delivery_id: before.id, event_id: before.eventId };
    return put({ ...after, state: "exhausted" }, { flow, publishes: [{ what: "exhausted", more }] });
  }
  const spread = wait * (0.8 + 0.4 * context.random());
  const asked = Math.min(settled.retryAfterMs ?? 0, limits.webhookRetryAfterMs);
  return put({ ...after, state: "retry_wait", nextAt: now + Math.ceil(Math.max(spread, asked)) }, { flow });
}
