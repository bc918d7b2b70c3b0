import { limits, ulidTimeMs } from "#base";
import type { Context, Decision } from "#runtime";
import { tables } from "../rows.ts";
import type { Event, State } from "../state.ts";
import { UnitOfWork } from "../unit-of-work.ts";
import { type DeadLetter, deadLetters, isEnded } from "./record.ts";
import { fromRow } from "./row.ts";

/** The timer, where it is not set yet. */
export function retentionAt({ retentionSet }: State, now: number): readonly Event[] {
  return retentionSet ? [] : [{ type: "retention_due", atMs: now + limits.deliveriesLookedAtMs }];
}

/** Forgets deliveries that ended long ago, some at a time, with what belongs to them. */
export function forgetOld(state: State, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const before = context.now - state.retentionDays * 86_400_000;
  const limit = limits.deliveriesForgottenAtOnce;
  context.prefetch([
    { collection: tables.manifestTimes, to: [before], limit },
    { collection: tables.manifestTimes, limit: limit + 1 },
  ]);
  const oldest = context
    .scan(tables.deliveries, { limit })
    .map(({ value }) => fromRow(value))
    .filter((delivery) => ulidTimeMs(delivery.id) < before && isEnded(delivery));
  const old = context.scan(tables.manifestTimes, { to: [before], limit }).map(({ key }) => key);
  const deliveriesOf = (id: string) => ({ prefix: [id], limit: 1 });
  context.prefetch([
    ...old.map(([, id]) => ({ ...deliveriesOf(id), collection: tables.byTransaction })),
    ...oldest.map(({ subscriberId }) => ({ collection: tables.activity, key: [subscriberId] })),
    ...oldest.flatMap(({ deadLetterId: id }) => (id === "" ? [] : [deadLetters.ref(id)])),
  ]);
  const letters: DeadLetter[] = [];
  for (const { subscriberId, deadLetterId } of oldest) {
    const activity = unit.activity(subscriberId);
    unit.setActivity(subscriberId, { ...activity, deliveries: Math.max(0, activity.deliveries - 1) });
    const letter = unit.letter(deadLetterId);
    if (letter) letters.push(letter);
  }
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
  const left = context.scan(tables.manifestTimes, { limit: limit + 1 }).length > transactions.length;
  const more = oldest.length === limit || transactions.length === limit;
  const atMs = more ? context.now : context.now + limits.deliveriesLookedAtMs;
  unit.events.push(more || left ? { type: "retention_due", atMs } : { type: "retention_due" });
  return unit.decided(undefined, { frees: true });
}

/** Callers' transaction ids are free again after seven days. */
export function forgetClaims(context: Context): Decision<Event> {
  const limit = limits.deliveriesForgottenAtOnce;
  const claims = context.scan(tables.claimTimes, { limit: limit + 1 }).map(({ key }) => key);
  const before = context.now - limits.transactionClaimMs;
  const old = claims.filter(([at]) => at < before).slice(0, limit);
  const events: Event[] = old.length > 0 ? [{ type: "claims_forgotten", claims: old }] : [];
  const next = claims[old.length];
  if (next) {
    const atMs = Math.max(context.now, next[0] + limits.transactionClaimMs + 1);
    events.push({ type: "claims_due", atMs });
  }
  return { events, frees: true };
}
