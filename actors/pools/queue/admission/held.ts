import { limits } from "#base";
import { byLine } from "../memory/ready-index.ts";
import type { SortedWindow } from "../memory/sorted-window.ts";
import { heldCollection, type Item } from "../rows/item.ts";
import { fromRow } from "../rows/item-row.ts";
import { heldWindow } from "../state.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/**
 * The items of a class that a group holds back, in order. Memory has the first of them, and a caller that asks for more than
 * that reads on: as many step forward as there is room for, or the room that is left over would stay unused. `wanted`: how
 * many rows are read together.
 */
export function* heldInOrder(
  unit: UnitOfWork,
  groupName: string,
  classNo: number,
  wanted: number,
): Generator<Item, void, void> {
  const own = heldByDraft(unit, groupName, classNo).sort(byLine);
  const window = heldWindow(unit.state, groupName, classNo);
  const rows = Math.min(Math.max(wanted, limits.queueHeldWindowMax), limits.queueWindowRefill);
  let next = 0;
  for (let index = 0; ; index++) {
    if (index === window.length && !window.complete && !readOn(unit, groupName, classNo, window, rows))
      return;
    const item = window.at(index);
    if (item === undefined) break;
    if (unit.touched(item.id)) continue;
    while (next < own.length && byLine(own[next]!, item) < 0) yield own[next++]!;
    yield item;
  }
  while (next < own.length) yield own[next++]!;
}

/** Those that this very command held back stand in the same line. */
function heldByDraft(unit: UnitOfWork, groupName: string, classNo: number): Item[] {
  const found: Item[] = [];
  for (const id of unit.groups.fuller.get(groupName) ?? []) {
    const item = unit.item(id);
    if (item?.heldBy === groupName && item.classNo === classNo) found.push(item);
  }
  return found;
}

/** False: rows have to be read first. This changes what memory holds, not what is true, so deciding may do it. */
function readOn(
  unit: UnitOfWork,
  groupName: string,
  classNo: number,
  window: SortedWindow<Item>,
  limit: number,
): boolean {
  const { reach } = window;
  const rows = unit.context.range({
    collection: heldCollection,
    prefix: [groupName, classNo],
    ...(reach && { from: [groupName, classNo, reach.band, reach.tag, reach.order + 1] }),
    limit,
  });
  if (rows === undefined) return false;
  window.refill(rows, ({ value }) => fromRow(value), rows.length < limit);
  return true;
}
