import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { finish } from "../admission/finish.ts";
import { stepForward } from "../admission/line.ts";
import { isOver } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";

export interface Cancel {
  readonly type: "cancel";
  readonly id: string;
}

/** Ends an item in any state but an ended one; a lease on it is void at once. */
export function cancel(state: State, { id }: Cancel, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  const item = unit.item(id);
  if (item === null) return refuse("NOT_FOUND", `there is no item ${id}`);
  if (item) {
    unit.body(item);
    if (item.state === "cancelled") return unit.decided();
    if (isOver(item.state)) return refuse("STATE_CONFLICT", `the item is ${item.state}`);
    finish(unit, item, "cancelled");
    stepForward(unit);
  }
  return unit.decided();
}
