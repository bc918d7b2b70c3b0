import type { RowWriter } from "#runtime";
import { packSummary } from "../../../kit/item-event.ts";
import type { Cause, Change } from "./change.ts";
import type { Item } from "./item.ts";

/**
 * What subscribers see: one event per kind of change and command, with every item it happened to. Where commands of one
 * commit did the same one after the other, one event tells of all of them. `docs/events.md` lists the kinds; the names and
 * members are part of the contract.
 */
export class ItemNews {
  #lists: List[] = [];

  /** What one command did. */
  add(changes: ReadonlyMap<string, Change>): void {
    const lists: List[] = [];
    // First, and also of one that a later entry of its own batch has changed: every item begins with this event.
    for (const { from, item } of changes.values()) if (from === null) note(lists, "enqueued", item);
    // Standing in line somewhere else is no change of the item.
    for (const { cause, item } of changes.values())
      if (cause !== "enqueued" && cause !== "held") note(lists, cause, item);
    const last = this.#lists.at(-1);
    const [only] = lists;
    if (lists.length === 1 && last?.cause === only!.cause)
      for (const part of only!.items) last.items.push(part);
    else for (const list of lists) this.#lists.push(list);
  }

  /** At the end of a commit. */
  write(poolId: string, rows: RowWriter): void {
    for (const { cause, items } of this.#lists) rows.publish(`queue_item.${cause}`, poolId, items);
    if (this.#lists.length > 0) this.#lists = [];
  }
}

interface List {
  readonly cause: Cause;
  readonly items: unknown[];
}

function note(lists: List[], cause: Cause, item: Item): void {
  const list = listOf(lists, cause);
  packSummary(list.items, item, item.lease?.recipient ?? "", errorOf(item));
}

/** There are one or two: quicker looked through than hashed. */
function listOf(lists: List[], cause: Cause): List {
  for (const list of lists) if (list.cause === cause) return list;
  const list = { cause, items: [] };
  lists.push(list);
  return list;
}

function errorOf({ error, state }: Item): string {
  return error && state !== "leased" && state !== "completed" ? error.message : "";
}
