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
  const lists: List[] = [];
  // First, and also of one that a later entry of its own batch has changed: every item begins with this event.
  for (const { from, item } of changes.values()) if (from === null) add(lists, "enqueued", item);
  // Standing in line somewhere else is no change of the item.
  for (const { cause, item } of changes.values())
    if (cause !== "enqueued" && cause !== "held") add(lists, cause, item);
  for (const { cause, items } of lists) rows.publish(`queue_item.${cause}`, state.poolId, items);
}

interface List {
  readonly cause: Cause;
  readonly items: unknown[];
}

/** There are one or two lists: quicker looked through than hashed. */
function add(lists: List[], cause: Cause, item: Item): void {
  let list = lists.find((known) => known.cause === cause);
  if (!list) {
    list = { cause, items: [] };
    lists.push(list);
  }
  packSummary(list.items, item, item.lease?.recipient ?? "", errorOf(item));
}

function errorOf({ error, state }: Item): string {
  return error && state !== "leased" && state !== "completed" ? error.message : "";
}
