import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { CancelFanOut, SubscriptionsPut, SubscriptionsRemoved } from "../../notify/manifest.ts";
import { channels, type IntegrationsChanged, type PacerGranted } from "../../notify/outbound/types.ts";
import { tables } from "../rows.ts";
import { countKeys, type Event, type State, tiers } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { pump, restart, skip } from "./dispatch.ts";

/** From here on only these are chosen. What was bound to one that is gone is chosen anew, by a timer. */
export function changeIntegrations(state: State, { put, removed }: IntegrationsChanged): Decision<Event> {
  const unpaced = [...removed, ...put.flatMap(({ id, rate }) => (rate ? [] : [id]))];
  const chosen = unpaced.filter((id) => tiers.some((tier) => state.counts.has(countKeys.paced(id, tier))));
  const isWaiting = tiers.some((tier) =>
    channels.some((channel) => state.counts.has(countKeys.waiting(tier, channel))),
  );
  const again = isWaiting ? [...chosen, ""] : chosen;
  return { events: [{ type: "integrations_changed", put, removed }, ...again.map(rechooseSoon)] };
}

function rechooseSoon(integrationId: string): Event {
  return { type: "timer_set", id: `rechoose:${integrationId}` };
}

/** Without an integration: those that wait for a slot. */
export function rechoose(state: State, integrationId: string, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  if (integrationId === "" || state.integrations.get(integrationId)?.rate) {
    pump(unit);
    return unit.decided();
  }
  const limit = limits.deliveriesStartedAtOnce;
  const ids = context.scan(tables.paced, { prefix: [integrationId], limit }).map(({ key }) => key[2]);
  unit.prefetch(ids);
  for (const id of ids) restart(unit, id);
  if (ids.length === limit) unit.events.push(rechooseSoon(integrationId));
  return unit.decided();
}

/** As many attempts as there are slots, each at its time. A slot for which nothing waits is lost. */
export function granted(state: State, message: PacerGranted, context: Context): Decision<Event> {
  const { integrationId, epoch, slots } = message;
  if (state.integrations.get(integrationId)?.paceEpoch !== epoch) return { events: [] };
  const unit = new UnitOfWork(state, context);
  const ranges = tiers.flatMap((tier) => {
    const own = slots.filter((slot) => slot.tier === tier);
    const prefix = [integrationId, tiers.indexOf(tier)];
    return own.length === 0 ? [] : [{ own, prefix, limit: own.length }];
  });
  context.prefetch(ranges.map((range) => ({ ...range, collection: tables.paced })));
  const used = ranges.flatMap(({ own, ...range }) =>
    context.scan(tables.paced, range).map(({ key }, index) => ({ id: key[2], slot: own[index]! })),
  );
  unit.prefetch(used.map(({ id }) => id));
  for (const { id, slot } of used) restart(unit, id, { ...slot, integrationId });
  return unit.decided();
}

export function cancelFanOut(state: State, { transactionId }: CancelFanOut): Decision<Event> {
  const open = state.open.get(transactionId);
  if (!open) return { events: [] };
  const cancelled: Event = { type: "fan_out_cancelled", transactionId, topic: open.topic };
  return { events: [cancelled, { type: "timer_set", id: `cancel::${transactionId}` }] };
}

/** Deliveries of a cancelled broadcast that have not begun, some at a time. `step`: the last that it has seen, and the transaction. */
export function stepCancel(state: State, step: string, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const [last, transactionId] = splitOnce(step);
  const limit = limits.deliveriesForgottenAtOnce;
  const range = { prefix: [transactionId], from: [transactionId, `${last}\u0000`], limit };
  const ids = context.scan(tables.byTransaction, range).map(({ key }) => key[1]);
  for (const delivery of unit.deliveries(ids)) {
    if (delivery.status === "queued") skip(unit, delivery, { ...delivery, integrationId: "" }, "cancelled");
  }
  if (ids.length === limit)
    unit.events.push({ type: "timer_set", id: `cancel:${ids.at(-1)}:${transactionId}` });
  pump(unit);
  return unit.decided();
}

/** Before and after the first colon. */
export function splitOnce(text: string): readonly [string, string] {
  const [first = "", rest = ""] = text.split(/:(.*)/s);
  return [first, rest];
}

/** Copies, for the lists of subscribers; the topic decides who is a member. */
export function copySubscriptions(
  state: State,
  message: SubscriptionsPut | SubscriptionsRemoved,
  context: Context,
): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const { topicId, topicKey, subscriberIds } = message;
  context.prefetch(subscriberIds.map((id) => ({ collection: tables.activity, key: [id] })));
  const copies = context.getMany(
    tables.subscriptions,
    subscriberIds.map((id) => [id, topicKey]),
  );
  for (const [index, subscriberId] of subscriberIds.entries()) {
    const known = copies[index];
    const activity = unit.activity(subscriberId);
    const put = message.type === "subscriptions_put";
    if (!put && known?.topicId !== topicId) continue;
    const by = put ? (known ? 0 : 1) : -1;
    const { contextKeys, createdAt } = put ? message : { contextKeys: [], createdAt: 0 };
    const since = known?.topicId === topicId ? known.createdAt : createdAt;
    const subscription = put ? { topicId, contextKeys, createdAt: since } : null;
    unit.events.push({ type: "subscription_put", subscriberId, topicKey, subscription });
    if (by !== 0) unit.setActivity(subscriberId, { ...activity, subscriptions: activity.subscriptions + by });
  }
  return unit.decided();
}
