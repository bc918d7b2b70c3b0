import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { stepForward } from "../admission/line.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";
import { take } from "./claim.ts";
import type { Claim } from "./claimer.ts";
import type { Settle } from "./settle.ts";
import { type Extend, planSettle } from "./settle-batch.ts";

/**
 * One round of a Work stream: what is to be settled and extended, and room for how many more. With nothing to settle it
 * asks whether there is such a worker; what one holds that is gone since can still be settled.
 */
export interface WorkCommand {
  readonly type: "work";
  readonly entries: readonly (Settle | Extend)[];
  readonly claim: Claim;
}

export function workRound(state: State, command: WorkCommand, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  const { recipientId } = command.claim;
  if (command.entries.length === 0 && !unit.router.recipients.has(recipientId))
    return refuse("NOT_FOUND", `there is no recipient ${recipientId} in this pool`);
  const results = planSettle(unit, command.entries);
  stepForward(unit);
  // A pool that hands nothing out still takes settlements.
  if (command.claim.maxItems > 0) take(unit, command.claim);
  return unit.decidedWith(results);
}
