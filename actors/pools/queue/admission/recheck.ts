import { limits } from "#base";
import type { Recheck, Rechecked } from "../memory/recheck-position.ts";
import { dueAt } from "../rows/due.ts";
import { groupIdOf, groupRows, heldTotal, nameOfGroup } from "../rows/group.ts";
import { withoutCharge } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { releaseHeld, wakeThrottled } from "./line.ts";
import { tatWithin } from "./throttle.ts";

/**
 * One step through the groups that may hold items back: a limit that was raised or taken away has room now, and nothing
 * else would tell those who wait for a lease to end or an hour to pass. Call before timers run: a group whose own timer is
 * due is left to it.
 */
export function recheck(unit: UnitOfWork): Rechecked | undefined {
  const position = unit.state.recheck;
  if (position === null) return undefined;
  const { kind, after } = position;
  if (kind === "throttle" && after === "" && !lookAtCharges(unit))
    return { type: "rechecked", next: position };
  const rows = unit.context.scan(groupRows, {
    prefix: [kind],
    ...(after && { from: [kind, `${after}\0`] }),
    limit: limits.queueSweepMax,
  });
  let last = after;
  let moved = 0;
  for (const { key } of rows) {
    const [, groupId] = key;
    const stepped = look(unit, kind, nameOfGroup(kind, groupId));
    moved += stepped.moved;
    // It is looked at until none of its items moves: only the first of those it holds are in memory at a time.
    const stays = stepped.moved > 0 && stepped.left > 0;
    if (!stays) last = groupId;
    if (stays || moved >= limits.queueTickItemsMax) return { type: "rechecked", next: { kind, after: last } };
  }
  if (rows.length === limits.queueSweepMax) return { type: "rechecked", next: { kind, after: last } };
  return { type: "rechecked", next: kind === "throttle" ? { kind: "concurrency", after: "" } : null };
}

/** Charges that leases tell of, by a throttle that went further: a row has what counts of them. False: there are more. */
function lookAtCharges(unit: UnitOfWork): boolean {
  const { leases, derived } = unit.state;
  const throttle = unit.router.config.admission?.throttle;
  let count = 0;
  for (const item of leases.values()) {
    const { throttle: groupId } = item.groups;
    if (item.lease!.tat === 0) continue;
    const charged = derived.of(groupId).tat;
    const tat = tatWithin(throttle, charged, unit.now);
    if (tat === charged) continue;
    if (count++ >= limits.queueTickItemsMax) return false;
    const groupName = nameOfGroup("throttle", groupId);
    const group = unit.groups.throttle(groupId);
    unit.groups.charge(groupId, 0);
    if (group) unit.setGroup(groupName, { ...group, tat });
    unit.change(item, withoutCharge(item), "held");
  }
  return true;
}

interface Stepped {
  readonly moved: number;
  readonly left: number;
}

function look(unit: UnitOfWork, kind: Recheck["kind"], groupName: string): Stepped {
  const before = heldIn(unit, groupName);
  if (kind === "throttle") lookAtThrottle(unit, groupName);
  else releaseHeld(unit, groupName, Number.MAX_SAFE_INTEGER);
  const left = heldIn(unit, groupName);
  return { moved: before - left, left };
}

function lookAtThrottle(unit: UnitOfWork, groupName: string): void {
  const known = unit.groups.throttle(groupIdOf(groupName));
  if (!known) return;
  const tat = tatWithin(unit.router.config.admission?.throttle, known.tat, unit.now);
  const group = { ...known, tat };
  if (tat !== known.tat) unit.setGroup(groupName, group);
  const timerIsDue = group.wakeAt > 0 && group.wakeAt <= unit.now;
  if (timerIsDue || heldTotal(group.held) === 0) return;
  if (group.wakeAt > 0) unit.removeWake(dueAt(group.wakeAt, "throttle", groupName));
  wakeThrottled(unit, groupName);
}

function heldIn(unit: UnitOfWork, groupName: string): number {
  const group = unit.group(groupName);
  return group && "held" in group ? heldTotal(group.held) : 0;
}
