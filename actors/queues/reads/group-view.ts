import type { Context, RangeRef, RowRef } from "#runtime";
import type { RouterView } from "../../shared/router.ts";
import { limitOf } from "../admission/concurrency.ts";
import { conforming, eligibleAt } from "../admission/throttle.ts";
import { findGroup } from "../memory/told.ts";
import { type Group, type GroupKind, groupIdOf, holdOf, kindOf, parkedTotal } from "../rows/group.ts";
import type { State } from "../state.ts";

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
    const limit = limitOf({ router }, indexOf(state, groupId));
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
