import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { closeDebounce } from "../admission/debounce.ts";
import { releaseHeld, standInLine, stepForward, stepOut } from "../admission/line.ts";
import { conforming } from "../admission/throttle.ts";
import {
  clearedRows,
  type Group,
  type GroupKind,
  groupIdOf,
  isLeftOver,
  nameOfGroup,
} from "../rows/group.ts";
import { copyItem, isWaiting, withoutCharge } from "../rows/item.ts";
import type { Event, State } from "../state.ts";
import { reachPool } from "../unit/pool.ts";
import { UnitOfWork } from "../unit/unit-of-work.ts";

export interface ClearGroup {
  readonly type: "clear_group";
  readonly kind: GroupKind;
  readonly groupId: string;
  readonly reason: string;
}

/** The group ends now: its key is free, its window fires, its tokens are back. One that was cleared before stays as it is. */
export function clearGroup(state: State, command: ClearGroup, context: Context): Decision<Event> {
  const unit = new UnitOfWork(state, context);
  const refused = reachPool(unit.router, context);
  if (refused) return refused;
  if (command.kind === "concurrency")
    return refuse("FAILED_PRECONDITION", "concurrency slots are counted from leases and cannot be cleared", {
      reason: "NOT_CLEARABLE",
    });
  const groupName = nameOfGroup(command.kind, command.groupId);
  const group = unit.group(groupName);
  if (group !== undefined && isLeftOver(group)) {
    const before = context.get(clearedRows, [command.kind, command.groupId]);
    if (before !== null) return { events: [] };
  }
  if (!group) return refuse("NOT_FOUND", `there is no ${command.kind} group ${command.groupId}`);
  clear(unit, groupName, group);
  stepForward(unit);
  const cleared: Event = {
    type: "cleared",
    groupName,
    by: context.caller?.subject ?? "",
    reason: command.reason,
    at: context.now,
  };
  return unit.decided([cleared]);
}

function clear(unit: UnitOfWork, groupName: string, group: Group): void {
  switch (group.kind) {
    case "singleton": {
      const active = unit.item(group.active);
      unit.setGroup(groupName, null);
      if (active?.tells) {
        const untold = copyItem(active);
        untold.tells = false;
        // Its own row is written anew and no longer says with which number it came: in line it needs none, it has a row there.
        if (active.state === "ready") untold.recent = false;
        unit.change(active, untold, "held");
      }
      const waiting = group.waiting ? unit.item(group.waiting) : null;
      if (waiting?.heldBy === groupName) stepOut(unit, waiting);
      return;
    }
    case "debounce": {
      const item = unit.item(group.item);
      unit.setGroup(groupName, null);
      if (!item || !isWaiting(item.state) || item.state === "ready") return;
      closeDebounce(unit, item);
      // The window is over; a time that the item itself was given is not.
      if (group.notBefore > unit.now) {
        const alone = copyItem(item);
        alone.notBefore = group.notBefore;
        alone.groups = { ...item.groups, debounce: "" };
        unit.change(item, alone, "held");
      } else unit.change(item, standInLine(unit, item), "ready");
      return;
    }
    case "throttle": {
      const full = { ...group, tat: 0 };
      forgetCharges(unit, groupIdOf(groupName));
      unit.setGroup(groupName, full);
      releaseHeld(unit, groupName, conforming(unit.router.config.admission?.throttle, full, unit.now));
      return;
    }
    case "concurrency":
      return;
  }
}

/** What the leases of a throttle key say of it counts no more. */
function forgetCharges(unit: UnitOfWork, groupId: string): void {
  unit.groups.charge(groupId, 0);
  for (const item of unit.state.leases.values()) {
    if (item.groups.throttle !== groupId || item.lease!.tat === 0) continue;
    unit.change(item, withoutCharge(item), "held");
  }
}
