import { limits, ulidTimeMs } from "#base";
import type { Context, Decision } from "#runtime";
import { type DeadLetter, isEnded } from "./delivery.ts";
import { fromRow } from "./delivery-row.ts";
import type { Event, State } from "./state.ts";
import { Work } from "./work.ts";

/** The timer, where it is not set yet. */
export function retentionAt({ retentionSet }: State, now: number): readonly Event[] {
  return retentionSet ? [] : [{ type: "retention_due", atMs: now + limits.deliveriesLookedAtMs }];
}

/** Forgets deliveries that ended long ago, some at a time, with what belongs to them. */
export function forgetOld(state: State, context: Context): Decision<Event> {
  const work = new Work(state, context);
  const before = context.now - state.retentionDays * 86_400_000;
  const limit = limits.deliveriesForgottenAtOnce;
  const oldest = work.reads
    .range({ collection: "deliveries", limit })
    .map(({ value }) => fromRow(value))
    .filter((delivery) => ulidTimeMs(delivery.id) < before && isEnded(delivery));
  const letters: DeadLetter[] = [];
  for (const { subscriberId, deadLetterId } of oldest) {
    const activity = work.activity(subscriberId);
    work.setActivity(subscriberId, { ...activity, deliveries: Math.max(0, activity.deliveries - 1) });
    const letter = work.letter(deadLetterId);
    if (letter) letters.push(letter);
  }
  const deliveries = oldest.map(({ id, subscriberId, transactionId }) => ({
    id,
    subscriberId,
    transactionId,
  }));
  if (oldest.length > 0) work.events.push({ type: "deliveries_forgotten", deliveries, letters });
  // What a delivery sends stays as long as the delivery.
  const transactions = work.reads
    .range({ collection: "manifest_times", to: [before], limit })
    .map(({ key }) => [key[0] as number, key[1] as string] as const)
    .filter(
      ([, id]) => work.reads.range({ collection: "by_transaction", prefix: [id], limit: 1 }).length === 0,
    );
  if (transactions.length > 0) work.events.push({ type: "transactions_forgotten", transactions });
  const [left] = work.reads
    .range({ collection: "manifest_times", limit: limit + 1 })
    .slice(transactions.length);
  const more = oldest.length === limit || transactions.length === limit;
  const atMs = more ? context.now : context.now + limits.deliveriesLookedAtMs;
  work.events.push(more || left ? { type: "retention_due", atMs } : { type: "retention_due" });
  return work.decided(undefined, { frees: true });
}

/** Callers' transaction ids are free again after seven days. */
export function forgetClaims(state: State, context: Context): Decision<Event> {
  const work = new Work(state, context);
  const limit = limits.deliveriesForgottenAtOnce;
  const rows = work.reads.range({ collection: "claim_times", limit: limit + 1 });
  const before = context.now - limits.transactionClaimMs;
  const old = rows
    .map(({ key }) => [key[0] as number, key[1] as string] as const)
    .filter(([at]) => at < before)
    .slice(0, limit);
  if (old.length > 0) work.events.push({ type: "claims_forgotten", claims: old });
  const next = rows[old.length];
  if (next) {
    const atMs = Math.max(context.now, (next.key[0] as number) + limits.transactionClaimMs + 1);
    work.events.push({ type: "claims_due", atMs });
  }
  return work.decided(undefined, { frees: true });
}
