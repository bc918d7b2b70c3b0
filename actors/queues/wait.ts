import { limits } from "#base";
import { exclusionOf, mismatch } from "../shared/eligibility.ts";
import type { RouterView } from "../shared/router.ts";
import { eligibleAt } from "./admission/throttle.ts";
import { isPaused } from "./claim.ts";
import { type Group, type GroupKind, groupIdOf, kindOf } from "./group.ts";
import { type Item, isKept, isWaiting } from "./item.ts";
import type { State } from "./state.ts";

/** Why an item that waits has not been handed out. The first that holds, in the order in which a claim would meet it. */
type WaitReason =
  | "scheduled"
  | "debounce"
  | "retry"
  | "paused"
  | "pool_disabled"
  | "throttle"
  | "concurrency"
  | "singleton"
  | "no_match"
  | "sticky"
  | "no_capacity"
  | "queued";

export interface Wait {
  readonly reason: WaitReason;
  /** 0: not known. */
  readonly until: number;
  /** In its own line, from 1; 0: not known. */
  readonly position: number;
  readonly kind?: GroupKind;
  readonly groupId?: string;
}

/** `undefined` for an item that does not wait. `group` is the one that holds it back, or its throttle's. */
export function waitOf(
  state: State,
  router: RouterView,
  item: Item,
  group: Group | null | undefined,
  now: number,
): Wait | undefined {
  if (!isWaiting(item.state)) return undefined;
  if (item.state === "retry_wait") return { reason: "retry", until: item.notBefore, position: 0 };
  if (item.state === "scheduled")
    return {
      reason: item.groups.debounce ? "debounce" : "scheduled",
      until: item.notBefore,
      position: 0,
      ...(item.groups.debounce && { kind: "debounce" as const, groupId: item.groups.debounce }),
    };
  if (isPaused(state, now)) return { reason: "paused", until: state.pause!.untilMs, position: 0 };
  if (router.status === "disabled") return { reason: "pool_disabled", until: 0, position: 0 };
  if (item.hold) return heldWait(router, item, group, now);
  return fullWait(state, router, item, group, now) ?? lineWait(state, router, item, now);
}

function heldWait(router: RouterView, item: Item, group: Group | null | undefined, now: number): Wait {
  const kind = kindOf(item.hold);
  const throttle = router.config.admission?.throttle;
  const at = kind === "throttle" && throttle && group ? Math.ceil(eligibleAt(throttle, group)) : 0;
  // A time that has come is no answer: then it waits for one of its group ahead of it in line.
  return { reason: kind, until: at > now ? at : 0, position: 0, kind, groupId: groupIdOf(item.hold) };
}

/** A control has no room for it, and the next claim that meets it will hold it back. */
function fullWait(
  state: State,
  router: RouterView,
  item: Item,
  group: Group | null | undefined,
  now: number,
): Wait | undefined {
  const { throttle, concurrency } = router.config.admission ?? {};
  const at = throttle && item.groups.throttle && group ? Math.ceil(eligibleAt(throttle, group)) : 0;
  if (at > now)
    return {
      reason: "throttle",
      until: at,
      position: positionOf(state, item),
      kind: "throttle",
      groupId: item.groups.throttle,
    };
  for (const { id, index, cost } of item.groups.concurrency) {
    const limit = concurrency?.[index]?.limit ?? Number.MAX_SAFE_INTEGER;
    if ((state.inUse.get(id) ?? 0) + cost <= Math.max(limit, cost)) continue;
    const position = positionOf(state, item);
    return { reason: "concurrency", until: 0, position, kind: "concurrency", groupId: id };
  }
  return undefined;
}

function lineWait(state: State, router: RouterView, item: Item, now: number): Wait {
  const position = positionOf(state, item);
  if (isKept(item)) return { reason: "sticky", until: item.readyAt + limits.stickyKeptMs, position };
  const restrictions = state.classes.get(item.classNo)?.requirements.restrictions ?? [];
  let matching = false;
  for (const recipient of router.recipients.values()) {
    if (mismatch(recipient, restrictions) !== undefined) continue;
    matching = true;
    if (exclusionOf(router, recipient, { restrictions, preferences: [] }, item.cost, now) === undefined)
      return { reason: "queued", until: 0, position };
  }
  return { reason: matching ? "no_capacity" : "no_match", until: 0, position };
}

/** From 1; 0 where the line goes on in rows before it, and nobody knows how many. */
function positionOf(state: State, item: Item): number {
  const { recent, ready } = state;
  const stored = ready.window(item.list, item.band);
  if (!recent.known || (recent.find(item.id) ? !stored.reaches(item) : stored.indexOf(item) < 0)) return 0;
  return 1 + stored.rankOf(item) + (recent.window(item.list, item.band)?.rankOf(item) ?? 0);
}
