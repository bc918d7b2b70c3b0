import { refuse } from "#base";
import type { Context, Decision, RangeRef, RowRef } from "#runtime";
import type { RouterView } from "../../shared/router.ts";
import { limitOf } from "../admission/concurrency.ts";
import { closeDebounce } from "../admission/debounce.ts";
import { releaseHeld, standInLine, stepForward, stepOut } from "../admission/line.ts";
import { conforming, eligibleAt } from "../admission/throttle.ts";
import { Draft } from "../draft/draft.ts";
import { reachPool } from "../draft/pool.ts";
import { findGroup } from "../memory/told.ts";
import { type Group, type GroupKind, groupIdOf, holdOf, kindOf, parkedTotal } from "../rows/group.ts";
import { copyItem, isWaiting, withoutCharge } from "../rows/item.ts";
import type { Event, State } from "../state.ts";

export interface ClearGroup {
  readonly type: "clear_group";
  readonly kind: GroupKind;
  readonly groupId: string;
  readonly reason: string;
}

/** What is shown of a group; times 0 where there is none. */
export interface GroupView {
  readonly kind: GroupKind;
  readonly groupId: string;
  readonly status: "active" | "expired" | "cleared";
  readonly inUse: number;
  readonly limit: number;
  readonly waiting: number;
  readonly nextEligibleAt: number;
  readonly cleared: { readonly at: number; readonly by: string; readonly reason: string } | null;
}

/** The group ends now: its key is free, its window fires, its tokens are back. */
export function clearGroup(state: State, command: ClearGroup, context: Context): Decision<Event> {
  const draft = new Draft(state, context);
  const refused = reachPool(draft.router, context);
  if (refused) return refused;
  if (command.kind === "concurrency")
    return refuse("FAILED_PRECONDITION", "concurrency slots are counted from leases and cannot be cleared", {
      reason: "NOT_CLEARABLE",
    });
  const hold = holdOf(command.kind, command.groupId);
  const group = draft.group(hold);
  if (draft.missing.length > 0) return { need: draft.missing };
  if (!group) return refuse("NOT_FOUND", `there is no ${command.kind} group ${command.groupId}`);
  clear(draft, hold, group);
  stepForward(draft);
  if (draft.missing.length > 0) return { need: draft.missing };
  const cleared: Event = {
    type: "cleared",
    hold,
    by: context.caller?.subject ?? "",
    reason: command.reason,
    at: context.now,
  };
  return draft.decided(null, [cleared]);
}

function clear(draft: Draft, hold: string, group: Group): void {
  switch (group.kind) {
    case "singleton": {
      const active = draft.item(group.active);
      draft.setGroup(hold, null);
      if (active?.tells) {
        const untold = copyItem(active);
        untold.tells = false;
        draft.change(active, untold, "held");
      }
      const waiting = group.waiting ? draft.item(group.waiting) : null;
      if (waiting?.hold === hold) stepOut(draft, waiting);
      return;
    }
    case "debounce": {
      const item = draft.item(group.item);
      draft.setGroup(hold, null);
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
      forgetCharges(draft, groupIdOf(hold));
      draft.setGroup(hold, full);
      releaseHeld(draft, hold, conforming(draft.router.config.admission?.throttle, full, draft.now));
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

/** One group, `null` where nothing is known of it, `undefined` where rows have to be read. */
export function viewGroup(
  state: State,
  context: Context,
  kind: GroupKind,
  groupId: string,
  missing: (RowRef | RangeRef)[],
): GroupView | null | undefined {
  const hold = holdOf(kind, groupId);
  const group = findGroup(state, context, hold, missing);
  const clearedRef = { collection: "cleared", key: [kind, groupId] };
  const cleared = context.row(clearedRef) as readonly [number, string, string] | null | undefined;
  if (cleared === undefined) missing.push(clearedRef);
  if (group === undefined || cleared === undefined) return undefined;
  const inUse = kind === "concurrency" ? (state.inUse.get(groupId) ?? 0) : 0;
  if (!group && inUse === 0 && !cleared) return null;
  return viewOf(state, context, hold, group, cleared);
}

export function viewOf(
  state: State,
  context: Context,
  hold: string,
  group: Group | null,
  cleared: readonly [number, string, string] | null,
): GroupView {
  const kind = kindOf(hold);
  const groupId = groupIdOf(hold);
  const router = context.twin<RouterView>("router");
  const figures = figuresOf(state, context, router, kind, groupId, group);
  const active = figures.active;
  return {
    kind,
    groupId,
    status: active ? "active" : cleared && !group ? "cleared" : "expired",
    inUse: figures.inUse,
    limit: figures.limit,
    waiting: figures.waiting,
    nextEligibleAt: figures.nextEligibleAt,
    cleared: cleared && { at: cleared[0], by: cleared[1], reason: cleared[2] },
  };
}

interface Figures {
  readonly active: boolean;
  readonly inUse: number;
  readonly limit: number;
  readonly waiting: number;
  readonly nextEligibleAt: number;
}

function figuresOf(
  state: State,
  context: Context,
  router: RouterView,
  kind: GroupKind,
  groupId: string,
  group: Group | null,
): Figures {
  const none = { active: false, inUse: 0, limit: 0, waiting: 0, nextEligibleAt: 0 };
  if (kind === "concurrency") {
    const inUse = state.inUse.get(groupId) ?? 0;
    const waiting = group?.kind === "concurrency" ? parkedTotal(group.parked) : 0;
    const limit = limitOf({ router } as Draft, indexOf(state, groupId));
    return { active: inUse + waiting > 0, inUse, limit, waiting, nextEligibleAt: 0 };
  }
  switch (group?.kind) {
    case "singleton": {
      const active = group.untilMs === 0 || group.untilMs > context.now;
      return { active, inUse: 1, limit: 1, waiting: group.waiting ? 1 : 0, nextEligibleAt: group.untilMs };
    }
    case "debounce":
      return { active: true, inUse: 1, limit: 1, waiting: 1, nextEligibleAt: group.fireAt };
    case "throttle": {
      const throttle = router.config.admission?.throttle;
      if (!throttle) return none;
      const next = Math.ceil(eligibleAt(throttle, group));
      const waiting = parkedTotal(group.parked);
      return {
        active: group.tat > context.now || waiting > 0,
        inUse: throttle.burst - conforming(throttle, group, context.now),
        limit: throttle.limit,
        waiting,
        nextEligibleAt: next > context.now ? next : 0,
      };
    }
    default:
      return none;
  }
}

/** Which of the pool's concurrency controls a group belongs to: its leases know. */
function indexOf(state: State, groupId: string): number {
  for (const item of state.leases.values())
    for (const { id, index } of item.groups.concurrency) if (id === groupId) return index;
  return 0;
}
