import type { Context } from "#runtime";
import { bodyOf, bodyRef } from "../rows/body.ts";
import type { Body, Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { State } from "../state.ts";

/** The item, `null` where there is none, `undefined` where it has to be read: then the decision runs again. */
export function findItem(state: State, context: Context, id: string): Item | null | undefined {
  const hot = state.leases.get(id) ?? state.recent.find(id) ?? state.ready.find(id);
  if (hot) return hot;
  let unknown = false;
  for (const collection of ["item", "done", "dead", "quarantined"]) {
    const row = context.row({ collection, key: [id] });
    if (row) return fromRow(row);
    unknown ||= row === undefined;
  }
  return unknown ? undefined : null;
}

/** The payload of an item as it is stored now. */
export function findBody(state: State, context: Context, item: Item): Body | null | undefined {
  const hot = state.bodies.get(item.id) ?? state.recent.body(item.id);
  if (hot) return hot;
  const row = context.row(bodyRef(item));
  return row ? (bodyOf(item, row) ?? null) : (row as null | undefined);
}
