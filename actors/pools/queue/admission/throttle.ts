import type { PoolConfig } from "../../pool-config.ts";
import { dueAt } from "../rows/due.ts";
import { heldTotal, nameOfGroup, type ThrottleGroup } from "../rows/group.ts";
import type { Item } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

type Throttle = NonNullable<NonNullable<PoolConfig["admission"]>["throttle"]>;

/** How often, and how many at once: what is reckoned with. */
interface Pace {
  readonly limit: number;
  readonly period_ms: number;
  readonly burst: number;
}

/**
 * So that no window of a period has more than the limit, a burst is part of it: after one, the others of the limit share a period.
 * At most half of the limit may go at once, or little would be left for a key that is always busy.
 */
export function paceOf({ limit, period_ms, burst }: Throttle): Pace {
  const atOnce = Math.max(1, Math.min(burst, Math.floor(limit / 2)));
  return { limit: limit - atOnce + 1, period_ms, burst: atOnce };
}

/**
 * GCRA: items of one key are handed out an interval apart, up to `burst` of them early. The theoretical arrival time is
 * stored with the lease that moved it, and in a row once that lease is over, for as long as it says anything: a restart
 * does not grant a second burst. It is a time in milliseconds, and reckoned with in whole parts of one: no error adds up.
 */
export function eligibleAt(throttle: Throttle, group: ThrottleGroup | null): number {
  const pace = paceOf(throttle);
  return earliest(pace, group?.tat ?? 0, 0) / partsOf(pace);
}

/** When an item with so many of its key before it may be handed out, if each of those goes as soon as it may. */
export function eligibleBehind(
  throttle: Throttle,
  group: ThrottleGroup | null,
  ahead: number,
  now: number,
): number {
  const pace = paceOf(throttle);
  return Math.ceil(earliest(pace, Math.max(now, group?.tat ?? 0), ahead) / partsOf(pace));
}

/** When this item may be handed out; 0: now. `undefined` where the group has to be read. */
export function throttledUntil(unit: UnitOfWork, item: Item): number | undefined {
  const throttle = unit.router.config.admission?.throttle;
  if (!throttle || !item.groups.throttle) return 0;
  const group = unit.groups.throttle(item.groups.throttle);
  if (group === undefined) return undefined;
  const at = eligibleAt(throttle, group);
  return at > unit.now ? at : 0;
}

/** Charges one handing out: how far, which its lease says from now on; 0 where there is no throttle. */
export function takeToken(unit: UnitOfWork, item: Item): number {
  if (!item.groups.throttle) return 0;
  const throttle = unit.router.config.admission?.throttle;
  let tat = 0;
  if (throttle) {
    const before = unit.groups.throttle(item.groups.throttle)?.tat ?? 0;
    // The clock counts whole milliseconds: less than one late is not late, or short intervals would lose their fractions.
    const from = unit.now - before < 1 ? before : unit.now;
    tat = later(paceOf(throttle), from, 1);
    unit.groups.charge(item.groups.throttle, tat);
  }
  ensureWake(unit, item.groups.throttle);
  return tat;
}

/** An item is held back and no timer is set: set it to the exact time. */
export function ensureWake(unit: UnitOfWork, groupId: string): void {
  if (!unit.groups.holdsSomebody) return;
  const group = unit.groups.throttle(groupId);
  if (!group || group.wakeAt > 0 || heldTotal(group.held) === 0) return;
  const throttle = unit.router.config.admission?.throttle;
  const at = throttle ? Math.max(unit.now, Math.ceil(eligibleAt(throttle, group))) : unit.now;
  const groupName = nameOfGroup("throttle", groupId);
  unit.setGroup(groupName, { ...group, wakeAt: at });
  unit.addWake(dueAt(at, "throttle", groupName));
}

/** How many may go now. */
export function conforming(throttle: Throttle | undefined, group: ThrottleGroup, now: number): number {
  if (!throttle) return Number.MAX_SAFE_INTEGER;
  const pace = paceOf(throttle);
  const early = inParts(pace, now) - earliest(pace, group.tat, 0);
  if (early < 0) return 0;
  return Math.min(pace.burst, Math.floor(early / intervalOf(pace)) + 1);
}

/** The theoretical arrival time as far ahead as this throttle can have brought it: one that was set by another may be further. */
export function tatWithin(throttle: Throttle | undefined, tat: number, now: number): number {
  if (!throttle) return 0;
  const pace = paceOf(throttle);
  return Math.min(tat, later(pace, now, pace.burst));
}

/** In parts. */
function earliest(pace: Pace, tat: number, ahead: number): number {
  return moved(pace, inParts(pace, tat), ahead + 1 - pace.burst);
}

function later(pace: Pace, time: number, intervals: number): number {
  return moved(pace, inParts(pace, time), intervals) / partsOf(pace);
}

/** A time by so many intervals later, or earlier; in parts. */
function moved(pace: Pace, time: number, intervals: number): number {
  const interval = intervalOf(pace);
  if (Number.isInteger(interval)) return time + intervals * interval;
  const cycle = pace.period_ms * partsOf(pace);
  // What is too long to be reckoned with exactly has thousands of parts: less than one of them is nothing.
  if (2 * cycle * (pace.limit + pace.burst) > Number.MAX_SAFE_INTEGER)
    return time + intervals * Math.ceil(interval);
  return onGrid(pace, time, intervals, cycle);
}

/**
 * Intervals that are no whole number of parts: a period, from the beginning of time on, has `limit` places, each rounded up to
 * a part, and a time moves from place to place. So what is rounded does not add up; less than an interval is lost, where a key begins.
 */
function onGrid({ limit }: Pace, time: number, intervals: number, cycle: number): number {
  const within = time % cycle;
  let place = Math.floor((within * limit) / cycle);
  if (Math.ceil((place * cycle) / limit) < within) place++;
  return time - within + Math.ceil(((place + intervals) * cycle) / limit);
}

function inParts(pace: Pace, time: number): number {
  return Math.round(time * partsOf(pace));
}

/** In parts, one at least; not always a whole number of them where the limit has more than a millisecond has. */
function intervalOf(pace: Pace): number {
  return Math.max(1, (pace.period_ms * partsOf(pace)) / pace.limit);
}

/** As many as the limit make every interval a whole number of them. A time in a double has room for a thousand. */
function partsOf({ limit }: Pace): number {
  return Math.min(limit, 1_000);
}
