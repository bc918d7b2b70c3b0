import { limits } from "#base";
import type { Context, Decision } from "#runtime";
import type { CancelFanOut, SubscriptionsPut, SubscriptionsRemoved } from "../../notify/manifest.ts";
import type { IntegrationsChanged, PacerGranted } from "../../notify/outbound/types.ts";
import { tables } from "../rows.ts";
import { type Event, pacedKey, type State, tiers } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { pump, restart, skip } from "./dispatch.ts";

/** From here on only these are chosen. What was bound to one that is gone is chosen anew, by a timer. */
export function changeIntegrations(state: State, { put, removed }: IntegrationsChanged): Decision<Event> {
  const events: Event[] = [{ type: "integrations_changed", put, removed }];
  const unpaced = [...removed, ...put.flatMap(({ id, rate }) => (rate ? [] : [id]))];
  for (const integrationId of unpaced)
    if (tiers.some((tier) => state.paced.has(pacedKey(integrationId, tier))))
      events.push({ type: "rechoose_due", integrationId });
  if (state.waiting.size > 0) events.push({ type: "rechoose_due", integrationId: "" });
  return { events };
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
  if (ids.length === limit) unit.events.push({ type: "rechoose_due", integrationId });
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
  return { events: [{ type: "fan_out_cancelled", transactionId, topic: open.topic }] };
}

/** Deliveries of a cancelled broadcast that have not begun, some at a time. */
export function stepCancel(state: State, transactionId: string, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const cursor = context.get(tables.cancels, [transactionId]);
  const limit = limits.deliveriesForgottenAtOnce;
  const from = cursor === null ? {} : { from: [transactionId, `${cursor}\u0000`] };
  const rows = context.scan(tables.byTransaction, { prefix: [transactionId], limit, ...from });
  const ids = rows.map(({ key }) => key[1]);
  for (const delivery of unit.deliveries(ids)) {
    if (delivery.status === "queued") skip(unit, delivery, { ...delivery, integrationId: "" }, "cancelled");
  }
  unit.events.push({
    type: "cancel_stepped",
    transactionId,
    cursor: ids.at(-1) ?? "",
    more: ids.length === limit,
  });
  pump(unit);
  return unit.decided();
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
