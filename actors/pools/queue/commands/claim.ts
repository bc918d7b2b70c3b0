import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { exclusionOf, noRequirements } from "../../eligibility.ts";
import type { RouterRecipient } from "../../router.ts";
import { heardOf, type Listener } from "../memory/lost-leases.ts";
import { type Event, isPaused, type State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { type Claim, claimerRefusal } from "./claimer.ts";
import { type Budget, type Taken, Taking } from "./taking.ts";

/** Pause, throttle, concurrency, capacity, in this order; then leases for the first items in line that pass. */
export function claim(state: State, command: Claim, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const found = command.maxItems > 0 ? take(unit, command) : listen(unit, command);
  if ("refused" in found) return found;
  if (found.leased.length > 0) return unit.decided();
  if (context.expired || command.waitMs === 0 || (isListener(command) && heardOf(state, command)))
    return { ...unit.decided(), unrecorded: true };
  const untilMs = command.untilMs ?? context.now + command.waitMs;
  const { version: table, ready } = unit.router;
  const park = { untilMs, command: { ...command, untilMs, table, ready } };
  // What was held back on the way stays so, with the timers that let it go again.
  return unit.isEmpty ? { park } : { ...unit.decided(), park };
}

export function isListener(command: Claim): command is Claim & Listener {
  return command.first !== undefined;
}

const nothing: Taken = { leased: [] };

/** Leases up to `maxItems` in the unit of work. */
export function take(unit: UnitOfWork, command: Claim): Taken | Refusal {
  const refused = refusalOf(unit, command);
  if (refused) return refused;
  const recipient = unit.router.recipients.get(command.recipientId)!;
  const { state } = unit;
  if (isPaused(state, unit.now) || state.counts.ready - state.held <= 0) return nothing;
  const budget = budgetOf(unit, recipient);
  if (budget.cost <= 0 || budget.items <= 0) return nothing;
  if (state.leases.size >= limits.queueLeasesMax)
    return refuse("RATE_LIMITED", `${limits.queueLeasesMax} leases are open`, {
      reason: "CONCURRENCY",
      retryAfterMs: limits.retryAfterMs,
    });
  return new Taking(unit, recipient, command, budget).run();
}

/** A worker without credit and without leases: its stream ends where a claim would be refused. */
function listen(unit: UnitOfWork, command: Claim): Taken | Refusal {
  return (command.holds ? undefined : refusalOf(unit, command)) ?? nothing;
}

function refusalOf({ router, context }: UnitOfWork, command: Claim): Refusal | undefined {
  return reachPool(router, context, { enabled: true }) ?? claimerRefusal(router, command);
}

/** What the recipient has room for now. */
function budgetOf(unit: UnitOfWork, recipient: RouterRecipient): Budget {
  const why = exclusionOf(unit.router, recipient, noRequirements, 0, unit.now);
  if (why !== undefined) return { cost: 0, items: 0 };
  const cost = recipient.capacity > 0 ? recipient.capacity - recipient.inFlight : Number.MAX_SAFE_INTEGER;
  return { cost, items: recipient.health.state === "half_open" ? 1 : Number.MAX_SAFE_INTEGER };
}
