import { limits } from "#base";
import { type RowKey, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import {
  type SweepPosition,
  type Swept,
  type SweptPart,
  sweepStart,
  sweptParts,
} from "../memory/sweep-position.ts";
import { groupFromRow, heldTotal } from "../rows/group.ts";
import type { State } from "../state.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { virtualUnit } from "./line.ts";

/** One step through rows that may say nothing any more. */
/**
 * Forgets what says nothing any more: fairness keys that are not ahead of the others, throttle keys that are full again, groups
 * that were cleared long ago. Walks the rows in steps; a pass begins with a tick that happens anyway: a queue without traffic grows nothing.
 */
export function sweep(unit: UnitOfWork): Swept | undefined {
  const { part, after, at } = unit.state.sweep;
  if (unit.now < at) return undefined;
  const prefix = part === "group" ? ["throttle"] : [];
  const ref = {
    prefix,
    ...(after && { from: [...after.slice(0, -1), `${after.at(-1)}\0`] }),
    limit: limits.queueSweepMax,
  };
  const rows = unit.context.scan(rowsOf<unknown, RowKey>(part), ref);
  const keys = rows.filter((row) => isOver(unit, part, row)).map(({ key }) => key);
  return { type: "swept", part, keys, next: nextOf(unit, part, rows) };
}

export function applySwept(state: State, { part, keys, next }: Swept, rows: RowWriter): void {
  for (const key of keys) {
    rows.delete(part, [...key]);
    if (part === "flow") state.flows.set(`${key[0]}:${key[1]}`, null);
    else if (part === "group") state.groups.set(`${key[0]}:${key[1]}`, null);
  }
  state.sweep = next;
}

/** A pass that has begun is brought to its end; the next one waits for a tick that happens anyway. 0: nothing to do. */
export function sweepDue({ part, after, at }: SweepPosition): number {
  return part === sweepStart.part && after === null ? 0 : at;
}

function nextOf({ now }: UnitOfWork, part: SweptPart, rows: readonly StoredRow[]): SweepPosition {
  if (rows.length === limits.queueSweepMax)
    return { part, after: rows.at(-1)!.key, at: now + limits.queueSweepStepMs };
  const following = sweptParts[sweptParts.indexOf(part) + 1];
  return following
    ? { part: following, after: null, at: now + limits.queueSweepStepMs }
    : { ...sweepStart, at: now + limits.queueSweepMs };
}

function isOver({ state, now }: UnitOfWork, part: SweptPart, { key, value }: StoredRow): boolean {
  switch (part) {
    case "flow":
      // One item ahead is no lead worth a row: keys that come once would never be passed. In an empty line none is ahead.
      return (
        state.counts.ready === 0 || (value as number) <= state.virtualTime[Number(key[0])]! + virtualUnit
      );
    case "group": {
      const group = groupFromRow(value);
      if (group.kind !== "throttle") return false;
      return group.tat <= now && group.wakeAt === 0 && heldTotal(group.held) === 0;
    }
    case "cleared":
      return (value as readonly [number])[0] + limits.queueClearedKeptMs <= now;
  }
}
