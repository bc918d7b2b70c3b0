import { limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import type { QuotaNote, QuotaRelease, QuotaReservation, QuotaUse, Reserved } from "../kit/quota.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import { type Charge, chargeRows, dayMs, dayOf, type Event, type State } from "./state.ts";

export type Command =
  | { readonly type: "get"; readonly operation: string }
  | { readonly type: "reserve"; readonly reservation: QuotaReservation }
  | { readonly type: "release"; readonly release: QuotaRelease }
  | { readonly type: "note"; readonly note: QuotaNote }
  | { readonly type: "sweep" }
  | TenantPurge;

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const today = dayOf(context.now);
  switch (command.type) {
    case "get": {
      const answer: QuotaUse = { used: usedOn(state, command.operation, today), resets_at: resetsAt(today) };
      return { events: [], answer };
    }
    case "reserve":
      return reserve(state, command.reservation, context, today);
    case "release":
      return release(state, command.release, context);
    case "note":
      return {
        events: Object.entries(command.note.used).map(([operation, amount]) =>
          usedMore(state, { operation, amount, day: today }),
        ),
        answer: {},
      };
    case "sweep":
      return { events: [{ type: "swept", beforeDay: today - 1 }] };
    case "purge":
      return { events: [{ type: "purged" }] };
  }
}

function reserve(
  state: State,
  { operation, amount, limit, ref }: QuotaReservation,
  context: Context,
  today: number,
): Decision<Event> {
  if (ref !== undefined) {
    const charges = context.getMany(chargeRows, [
      [today, ref],
      [today - 1, ref],
    ]);
    const index = charges.findIndex((charge) => charge && isRepeat(charge, context.now));
    if (index !== -1) return { events: [], answer: { fresh: false, day: today - index } satisfies Reserved };
  }
  const used = usedOn(state, operation, today);
  if (used + amount > limit) return exceeded({ operation, amount, used, limit }, today);
  const events: Event[] = [usedMore(state, { operation, amount, day: today })];
  if (ref !== undefined)
    events.push({ type: "charged", ref, day: today, charge: { operation, amount, atMs: context.now } });
  return { events, answer: { fresh: true, day: today } satisfies Reserved };
}

/** As long as the answer to a request is kept, a repeat gets that answer and is not charged. */
function isRepeat({ atMs }: Charge, now: number): boolean {
  return now - atMs < limits.idempotencyKeptMs;
}

function release(
  state: State,
  { operation, amount, ref, day }: QuotaRelease,
  context: Context,
): Decision<Event> {
  const events: Event[] = [];
  if (ref !== undefined) {
    if (context.get(chargeRows, [day, ref]) === null) return { events: [], answer: {} };
    events.push({ type: "forgotten", ref, day });
  }
  // What was used on a day that is over is not asked about any more.
  if (state.used.get(operation)?.day === day)
    events.push(usedMore(state, { operation, amount: -amount, day }));
  return { events, answer: {} };
}

function usedMore(
  state: State,
  { operation, amount, day }: { operation: string; amount: number; day: number },
): Event {
  const used = { day, amount: Math.max(0, usedOn(state, operation, day) + amount) };
  return { type: "used", operation, used };
}

function usedOn(state: State, operation: string, day: number): number {
  const used = state.used.get(operation);
  return used?.day === day ? used.amount : 0;
}

function exceeded(
  { operation, amount, used, limit }: { operation: string; amount: number; used: number; limit: number },
  today: number,
): Refusal {
  const detail = `${operation}: ${used} of ${limit} are used today (UTC), ${amount} more do not fit`;
  return refuse("QUOTA_EXCEEDED", detail, {
    reason: "DAILY",
    extra: { operation, resets_at: resetsAt(today) },
  });
}

function resetsAt(today: number): string {
  return toRfc3339((today + 1) * dayMs);
}
