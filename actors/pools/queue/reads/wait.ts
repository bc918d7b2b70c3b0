import { limits } from "#base";
import type { RouterView } from "../../router.ts";
import { limitOf } from "../admission/concurrency.ts";
import { eligibleBehind } from "../admission/throttle.ts";
import { type Group, type GroupKind, groupIdOf, kindOf } from "../rows/group.ts";
import { classList, type Item, isKept, isWaiting } from "../rows/item.ts";
import { isPaused, type State } from "../state.ts";
import type { Rooms } from "./room.ts";

/** Why an item that waits has not been handed out. The first that holds, in the order in which a claim would meet it. */
type WaitReason =
  | "scheduled"
  | "debounce"
  | "retry"
  | "pool_disabled"
  | "paused"
  | "throttle"
  | "concurrency"
  | "singleton"
  | "no_match"
  | "sticky"
  | "exceeds_capacity"
  | "no_capacity"
  | "queued";

export interface Wait {
  readonly reason: WaitReason;
  /** At the earliest; 0: not known. */
  readonly until: number;
  /** In its own line or in that of the group that holds it back, from 1; 0: not known. */
  readonly position: number;
  readonly kind?: GroupKind;
  readonly groupId?: string;
}

/** What is told of an item's wait besides what memory knows. */
export interface Surroundings {
  /** Of its throttle key, if it has one. */
  readonly throttled: Group | null | undefined;
  /** How many are before it in the line of the group that holds it back; 0 where none does. */
  readonly ahead: number;
  /** False: there are more. */
  readonly exact: boolean;
  /** In a preview: how many more would stand before it in its line; less than 0 where others would leave it. */
  readonly moved?: number;
  /** In a preview: the slots that leases of a concurrency group would take. */
  readonly slots?: (groupId: string) => number;
}

/** `undefined` for an item that does not wait. */
export function waitOf(
  state: State,
  router: RouterView,
  item: Item,
  around: Surroundings,
  now: number,
  rooms: Rooms,
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
  const position = item.heldBy
    ? around.exact
      ? around.ahead + 1
      : 0
    : positionOf(state, item, around.moved);
  if (router.status === "disabled") return { reason: "pool_disabled", until: 0, position };
  if (isPaused(state, now)) return { reason: "paused", until: state.pause!.untilMs, position };
  if (item.heldBy && kindOf(item.heldBy) === "singleton") return heldWait("singleton", item, position);
  const full = fullWait(state, router, item, around, position, now);
  if (full) return full;
  if (!item.heldBy) return lineWait(item, position, rooms);
  return heldWait(isBehindThrottle(item, around) ? "throttle" : kindOf(item.heldBy), item, position);
}

/** There is room, but for others before it: they stand in line, or their timer is due. */
function heldWait(kind: GroupKind, item: Item, position: number): Wait {
  const held = kindOf(item.heldBy) === kind;
  return {
    reason: kind,
    until: 0,
    position,
    kind,
    groupId: held ? groupIdOf(item.heldBy) : item.groups.throttle,
  };
}

/**
 * A command moves the first of those that slots held back behind their throttle, where that has no token for them. The
 * others are moved when one of these gets its turn: until then it is the throttle that they wait for, too.
 */
function isBehindThrottle({ classNo }: Item, { throttled }: Surroundings): boolean {
  return throttled?.kind === "throttle" && (throttled.held[classNo] ?? 0) > 0;
}

/** A control has no room for it: it is held back, or will be by the next claim that meets it. */
function fullWait(
  state: State,
  router: RouterView,
  item: Item,
  { throttled, ahead, slots = (groupId) => state.derived.of(groupId).slots }: Surroundings,
  position: number,
  now: number,
): Wait | undefined {
  const throttle = router.config.admission?.throttle;
  if (throttle && item.groups.throttle) {
    const before = item.heldBy && kindOf(item.heldBy) === "throttle" ? ahead : 0;
    const until = eligibleBehind(throttle, throttled?.kind === "throttle" ? throttled : null, before, now);
    if (until > now)
      return { reason: "throttle", until, position, kind: "throttle", groupId: item.groups.throttle };
  }
  for (const { id, control, cost } of item.groups.concurrency) {
    if (slots(id) + cost <= Math.max(limitOf(router.config, control), cost)) continue;
    return { reason: "concurrency", until: 0, position, kind: "concurrency", groupId: id };
  }
  return undefined;
}

function lineWait(item: Item, position: number, rooms: Rooms): Wait {
  if (isKept(item)) return { reason: "sticky", until: item.readyAt + limits.stickyKeptMs, position };
  return { reason: roomReason(item, rooms), until: 0, position };
}

function roomReason({ cost, classNo }: Item, rooms: Rooms): WaitReason {
  const { matching, ever, now } = rooms.of(classNo);
  if (cost <= now) return "queued";
  if (!matching) return "no_match";
  // No lease has to end for it: a recipient has to come that can take so much, or one has to be given the capacity.
  return cost > ever ? "exceeds_capacity" : "no_capacity";
}

/** From 1; 0 where the line goes on in rows before it, and their number is not known. */
function positionOf(state: State, item: Item, moved = 0): number {
  const { recent, ready, classes } = state;
  // Previewed: the first of its class.
  if (item.list === classList(item.classNo) && item.classNo !== 0 && !classes.get(item.classNo)) return 1;
  const stored = ready.window(item.list, item.band);
  if (!recent.known || !stored.reaches(item)) return 0;
  return 1 + moved + stored.rankOf(item) + (recent.window(item.list, item.band)?.rankOf(item) ?? 0);
}
