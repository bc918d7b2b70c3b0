import type { Context } from "#runtime";
import { bodyOf, bodyRef } from "../rows/body.ts";
import type { Body, Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import type { Missing } from "../rows/missing.ts";
import type { State } from "../state.ts";

/** The item, `null` where there is none, `undefined` where it has to be read: the reads are added to `missing`. */
export function findItem(
  state: State,
  context: Context,
  id: string,
  missing: Missing,
): Item | null | undefined {
  const hot = state.leases.get(id) ?? state.recent.find(id) ?? state.ready.find(id);
  if (hot) return hot;
  let unknown = false;
  for (const collection of ["item", "done", "dead", "quarantined"]) {
    const ref = { collection, key: [id] };
    const row = context.row(ref);
    if (row === undefined) {
      missing.push(ref);
      unknown = true;
    } else if (row !== null) return fromRow(row);
  }
  return unknown ? undefined : null;
}

/** The payload of an item as it is stored now. */
export function findBody(
  state: State,
  context: Context,
  item: Item,
  missing: Missing,
): Body | null | undefined {
  const hot = state.bodies.get(item.id) ?? state.recent.body(item.id);
  if (hot) return hot;
  const ref = bodyRef(item);
  const row = context.row(ref);
  if (row === undefined) missing.push(ref);
  return row ? (bodyOf(item, row) ?? null) : (row as null | undefined);
}
