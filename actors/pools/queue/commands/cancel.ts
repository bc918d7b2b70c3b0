import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { finish } from "../admission/finish.ts";
import { stepForward } from "../admission/line.ts";
import { Draft } from "../draft/draft.ts";
import { reachPool } from "../draft/pool.ts";
import { isOver } from "../rows/item.ts";
import type { Event, State } from "../state.ts";

export interface Cancel {
  readonly type: "cancel";
  readonly id: string;
}

/** Ends an item in any state but an ended one; a lease on it is void at once. */
export function cancel(state: State, { id }: Cancel, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  const item = draft.item(id);
  if (item === null) return refuse("NOT_FOUND", `there is no item ${id}`);
  if (item) {
    draft.body(item);
    if (item.state === "cancelled")
      return draft.missing.length > 0 ? { need: draft.missing } : draft.decided();
    if (isOver(item.state)) return refuse("STATE_CONFLICT", `the item is ${item.state}`);
    finish(draft, item, "cancelled");
    stepForward(draft);
  }
  if (draft.missing.length > 0) return { need: draft.missing };
  return draft.decided();
}
