import { limits, ulidTimeMs } from "#base";
import type { Context, Decision } from "#runtime";
import { lookAgainAt, oldKeys } from "../../notify/old-rows.ts";
import { tables } from "../rows.ts";
import type { Event, State } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { deadLetters, isEnded } from "./record.ts";
import { fromRow } from "./row.ts";

/** The timer, where it is not set yet. */
export function retentionAt({ retentionSet }: State, now: number): readonly Event[] {
  return retentionSet ? [] : [{ type: "retention_due", atMs: now + limits.deliveriesLookedAtMs }];
}

/** Forgets what is over since long, some at a time: deliveries with what belongs to them, and callers' transaction ids. */
export function forgetOld(state: State, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const keptMs = state.retentionDays * 86_400_000;
  const oldest = context
    .scan(tables.deliveries, { limit: limits.deliveriesForgottenAtOnce })
    .map(({ value }) => fromRow(value))
    .filter((delivery) => ulidTimeMs(delivery.id) < context.now - keptMs && isEnded(delivery));
  const { old, left } = oldKeys(tables.manifestTimes, keptMs, context);
  const { old: claims, left: claimsLeft } = oldKeys(tables.claimTimes, limits.transactionClaimMs, context);
  const deliveriesOf = (id: string) => ({ prefix: [id], limit: 1 });
  context.prefetch([
    ...old.map(([, id]) => ({ ...deliveriesOf(id), collection: tables.byTransaction })),
    ...oldest.map(({ subscriberId }) => ({ collection: tables.activity, key: [subscriberId] })),
    ...oldest.flatMap(({ deadLetterId: id }) => (id === "" ? [] : [deadLetters.ref(id)])),
  ]);
  for (const { subscriberId } of oldest) {
    const activity = unit.activity(subscriberId);
    unit.setActivity(subscriberId, { ...activity, deliveries: Math.max(0, activity.deliveries - 1) });
  }
  const letters = oldest.flatMap(({ deadLetterId }) => unit.letter(deadLetterId) ?? []);
  const deliveries = oldest.map(({ id, subscriberId, transactionId }) => ({
    id,
    subscriberId,
    transactionId,
  }));
  if (oldest.length > 0) unit.events.push({ type: "deliveries_forgotten", deliveries, letters });
  // What a delivery sends stays as long as the delivery.
  const transactions = old.filter(
    ([, id]) => context.scan(tables.byTransaction, deliveriesOf(id)).length === 0,
  );
  if (transactions.length > 0) unit.events.push({ type: "transactions_forgotten", transactions });
  if (claims.length > 0) unit.events.push({ type: "claims_forgotten", claims });
  const found = Math.max(oldest.length, transactions.length, claims.length);
  const atMs = lookAgainAt(found, context);
  const isLeft = left || claimsLeft || transactions.length < old.length || atMs === context.now;
  unit.events.push(isLeft ? { type: "retention_due", atMs } : { type: "retention_due" });
  return unit.decided(undefined, { frees: true });
}
