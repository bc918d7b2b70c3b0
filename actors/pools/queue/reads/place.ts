import { limits } from "#base";
import type { Context, RangeRef } from "#runtime";
import { byLine } from "../memory/ready-index.ts";
import type { Place } from "../rows/change.ts";
import { heldCollection, heldKey, type Item } from "../rows/item.ts";
import { heldLine, type State } from "../state.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import type { Surroundings } from "./wait.ts";

/**
 * Where an item stands in the line of the group that holds it back. The first of a line are in memory; rows are read for
 * one further behind only where one item is asked for: a list would read as many for each of its own.
 */
export function placeOf(
  state: State,
  context: Context,
  item: Item,
  far: boolean,
): Pick<Surroundings, "ahead" | "exact"> {
  if (!item.heldBy) return { ahead: 0, exact: true };
  const window = state.heldLines.get(heldLine(item.heldBy, item.classNo));
  if (window?.reaches(item)) return { ahead: window.rankOf(item), exact: true };
  if (!far) return { ahead: window?.length ?? 0, exact: false };
  const ref: RangeRef = {
    collection: heldCollection,
    prefix: [item.heldBy, item.classNo],
    to: heldKey(item),
    limit: limits.queuePlaceLook,
  };
  const rows = context.range(ref);
  const ahead = rows?.length ?? 0;
  return { ahead, exact: ahead < ref.limit };
}

/** The same of an item that a unit of work would put there: with the items that it would take out of the line, or put into it. */
export function previewPlace(unit: UnitOfWork, item: Item): Omit<Surroundings, "throttled"> {
  const { ahead, exact } = placeOf(unit.state, unit.context, item, true);
  let moved = 0;
  for (const { from, item: other } of unit.changes()) {
    if (other.id === item.id) continue;
    if (from && isBefore(from, item)) moved--;
    if (isBefore(other, item)) moved++;
  }
  const slots = (groupId: string) => unit.groups.inUse(groupId);
  return { ahead: item.heldBy ? ahead + moved : 0, exact, moved, slots };
}

function isBefore(place: Place, item: Item): boolean {
  const inLine = item.heldBy
    ? place.heldBy === item.heldBy && place.classNo === item.classNo
    : place.list === item.list && place.band === item.band;
  return place.state === "ready" && inLine && byLine(place as Item, item) < 0;
}
