import type { RowWriter } from "#runtime";
import { packSummary } from "../shared/item-event.ts";
import type { Cause, Change } from "./change.ts";
import type { Item } from "./item.ts";
import type { State } from "./state.ts";

/**
 * What subscribers see: one event per kind of change and commit, with every item it happened to. `docs/events.md` lists
 * the kinds; the names and members are part of the contract.
 */
export function publishChanges(state: State, changes: ReadonlyMap<string, Change>, rows: RowWriter): void {
  const lists = new Map<Cause, unknown[]>();
  const add = (cause: Cause, item: Item) => {
    let list = lists.get(cause);
    if (!list) {
      list = [];
      lists.set(cause, list);
    }
    packSummary(list, item, item.lease?.recipient ?? "", errorOf(item));
  };
  // First, and also of one that a later entry of its own batch has changed: every item begins with this event.
  for (const { from, item } of changes.values()) if (from === null) add("enqueued", item);
  // Standing in line somewhere else is no change of the item.
  for (const { cause, item } of changes.values())
    if (cause !== "enqueued" && cause !== "held") add(cause, item);
  for (const [cause, list] of lists) rows.publish(`queue_item.${cause}`, state.poolId, list);
}

function errorOf({ error, state }: Item): string {
  return error && state !== "leased" && state !== "completed" ? error.message : "";
}
