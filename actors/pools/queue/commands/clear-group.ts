import { refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { closeDebounce } from "../admission/debounce.ts";
import { releaseHeld, standInLine, stepForward, stepOut } from "../admission/line.ts";
import { conforming } from "../admission/throttle.ts";
import { Draft } from "../draft/draft.ts";
import { reachPool } from "../draft/pool.ts";
import { clearedRef, type Group, type GroupKind, groupIdOf, isLeftOver, nameOfGroup } from "../rows/group.ts";
import { copyItem, isWaiting, withoutCharge } from "../rows/item.ts";
import type { Event, State } from "../state.ts";

export interface ClearGroup {
  readonly type: "clear_group";
  readonly kind: GroupKind;
  readonly groupId: string;
  readonly reason: string;
}

/** The group ends now: its key is free, its window fires, its tokens are back. One that was cleared before stays as it is. */
export function clearGroup(state: State, command: ClearGroup, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  if (command.kind === "concurrency")
    return refuse("FAILED_PRECONDITION", "concurrency slots are counted from leases and cannot be cleared", {
      reason: "NOT_CLEARABLE",
    });
  const groupName = nameOfGroup(command.kind, command.groupId);
  const group = draft.group(groupName);
  if (group === undefined) return { need: draft.missing };
  if (isLeftOver(group)) {
    const ref = clearedRef(command.kind, command.groupId);
    const before = context.row(ref);
    if (before === undefined) return { need: [ref] };
    if (before !== null) return { events: [] };
  }
  if (!group) return refuse("NOT_FOUND", `there is no ${command.kind} group ${command.groupId}`);
  clear(draft, groupName, group);
  stepForward(draft);
  if (draft.missing.length > 0) return { need: draft.missing };
  const cleared: Event = {
    type: "cleared",
    groupName,
    by: context.caller?.subject ?? "",
    reason: command.reason,
    at: context.now,
  };
  return draft.decided([cleared]);
}

function clear(draft: Draft, groupName: string, group: Group): void {
  switch (group.kind) {
    case "singleton": {
      const active = draft.item(group.active);
      draft.setGroup(groupName, null);
      if (active?.tells) {
        const untold = copyItem(active);
        untold.tells = false;
        // Its own row is written anew and no longer says with which number it came: in line it needs none, it has a row there.
        if (active.state === "ready") untold.recent = false;
        draft.change(active, untold, "held");
      }
      const waiting = group.waiting ? draft.item(group.waiting) : null;
      if (waiting?.heldBy === groupName) stepOut(draft, waiting);
      return;
    }
    case "debounce": {
      const item = draft.item(group.item);
      draft.setGroup(groupName, null);
      if (!item || !isWaiting(item.state) || item.state === "ready") return;
      closeDebounce(draft, item);
      // The window is over; a time that the item itself was given is not.
      if (group.notBefore > draft.now) {
        const alone = copyItem(item);
        alone.notBefore = group.notBefore;
        alone.groups = { ...item.groups, debounce: "" };
        draft.change(item, alone, "held");
      } else draft.change(item, standInLine(draft, item), "ready");
      return;
    }
    case "throttle": {
      const full = { ...group, tat: 0 };
      forgetCharges(draft, groupIdOf(groupName));
      draft.setGroup(groupName, full);
      releaseHeld(draft, groupName, conforming(draft.router.config.admission?.throttle, full, draft.now));
      return;
    }
    case "concurrency":
      return;
  }
}

/** What the leases of a throttle key say of it counts no more. */
function forgetCharges(draft: Draft, groupId: string): void {
  draft.groups.charge(groupId, 0);
  for (const item of draft.state.leases.values()) {
    if (item.groups.throttle !== groupId || item.lease!.tat === 0) continue;
    draft.change(item, withoutCharge(item), "held");
  }
}
