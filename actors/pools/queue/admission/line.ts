import { limits } from "#base";
import { stateExclusion } from "../../eligibility.ts";
import { groupIdOf, type HeldCounts, heldTotal, kindOf, nameOfGroup } from "../rows/group.ts";
import { classList, copyItem, type Item, type OwnItem } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { fullGroup, limitOf } from "./concurrency.ts";
import { heldInOrder } from "./held.ts";
import { conforming, eligibleAt, ensureWake, throttledUntil } from "./throttle.ts";

/** Virtual time of an item of cost 1 and weight 1; weights up to 1,000 still differ by whole units. */
export const virtualUnit = 10_000;

/** The item at the end of the line of its fairness key: ready, or held back by a group that has no room for it. */
export function standInLine(unit: UnitOfWork, item: Item, version = item.version + 1): OwnItem {
  const standing = copyItem(item);
  joinLine(unit, standing);
  standing.version = version;
  return standing;
}

/** The same of an item that is not shared yet. */
export function joinLine(unit: UnitOfWork, item: OwnItem): void {
  const groupName = holdBehind(unit, item);
  item.state = "ready";
  item.readyAt = unit.now;
  item.tag = startTag(unit, item);
  item.order = unit.nextOrder();
  item.list = groupName ? "" : listOf(unit, item, unit.now);
  item.recent = false;
  item.heldBy = groupName;
  item.lease = null;
  item.updatedAt = unit.now;
}

/** Held where it stands, to keep its turn. */
export function holdBack(unit: UnitOfWork, item: Item, groupName: string): void {
  const held = copyItem(item);
  held.list = "";
  held.recent = false;
  held.heldBy = groupName;
  unit.change(item, held, "held");
  letPass(unit, item, groupName);
}

/**
 * It stays behind: the room that its groups keep for it goes to the next of each. Also of one that no claimer can
 * take: it may stand there for ever, and those behind its groups would wait for it as long.
 */
export function letPass(unit: UnitOfWork, { groups }: Item, groupName = ""): void {
  if (!unit.groups.holdsSomebody) return;
  if (groups.throttle) ensureWake(unit, groups.throttle);
  for (const { id, cost } of groups.concurrency) {
    const other = nameOfGroup("concurrency", id);
    if (other !== groupName) releaseHeld(unit, other, cost);
  }
}

/** Lets held items of the groups that got room step forward; run once after everything else of a command. */
export function stepForward(unit: UnitOfWork): void {
  for (const [groupName, room] of unit.groups.freed) {
    const group = unit.group(groupName);
    if (!group || !("held" in group)) continue;
    if (group.kind === "throttle") ensureWake(unit, groupIdOf(groupName));
    else releaseHeld(unit, groupName, room);
  }
  for (const groupName of unit.groups.fuller.keys())
    if (kindOf(groupName) === "throttle") wakeLater(unit, groupIdOf(groupName));
}

/** Items that are held back now wait for a time, unless one before them in line will make room. */
function wakeLater(unit: UnitOfWork, groupId: string): void {
  const throttle = unit.router.config.admission?.throttle;
  const group = unit.groups.throttle(groupId);
  if (throttle && group && eligibleAt(throttle, group) > unit.now) ensureWake(unit, groupId);
}

/** The timer of a throttled group: as many as conform now, of every class. */
export function wakeThrottled(unit: UnitOfWork, groupName: string): void {
  const groupId = groupIdOf(groupName);
  const group = unit.groups.throttle(groupId);
  if (!group) return;
  const count = conforming(unit.router.config.admission?.throttle, group, unit.now);
  unit.setGroup(groupName, { ...group, wakeAt: 0 });
  if (count === 0) ensureWake(unit, groupId);
  else releaseHeld(unit, groupName, count);
}

/**
 * The first `most` held items of every class, each checked again: those that are in line now. The line stays alive because a group with held items
 * always has a lease, a timer, or an item of the same class ahead of them in line.
 */
export function releaseHeld(unit: UnitOfWork, groupName: string, most: number): readonly Item[] {
  const group = unit.group(groupName);
  const freed: Item[] = [];
  if (!group || !("held" in group)) return freed;
  for (const classNo of Object.keys(group.held).map(Number)) {
    let taken = 0;
    let looked = 0;
    for (const item of heldInOrder(unit, groupName, classNo, most)) {
      const slot = item.groups.concurrency.find(({ id }) => nameOfGroup("concurrency", id) === groupName);
      if (
        slot &&
        taken > 0 &&
        unit.groups.inUse(slot.id) + taken + slot.cost > limitOf(unit.router.config, slot.control)
      )
        break;
      const now = stepOut(unit, item);
      // One that needs more than there is room for keeps its turn; one that another group holds leaves the room to the next.
      if (now === groupName) break;
      if (now === "") {
        taken += slot?.cost ?? 1;
        freed.push(unit.changed(item.id)!);
      }
      // Not left to the next turn: the one after this would have to be read for it.
      if (taken >= most || ++looked >= limits.queueStepMax) break;
    }
  }
  return freed;
}

/**
 * A claim has taken a token of this item's throttle, and there are more: they came while there were no claims. At most so many held
 * items get into line for it.
 */
export function releaseThrottled(unit: UnitOfWork, { groups }: Item, most: number): readonly Item[] {
  const group = unit.groups.throttle(groups.throttle);
  if (!group || heldTotal(group.held) === 0) return [];
  const tokens = conforming(unit.router.config.admission?.throttle, group, unit.now);
  return tokens === 0
    ? []
    : releaseHeld(unit, nameOfGroup("throttle", groups.throttle), Math.min(tokens, most));
}

/** Lets a held item go: into line, or behind another of its groups. Returns the name of that group; empty: it stands in line. */
export function stepOut(unit: UnitOfWork, item: Item): string {
  const free = copyItem(item);
  free.heldBy = "";
  const until = throttledUntil(unit, free);
  if (until === undefined) return item.heldBy;
  const groupName = until > 0 ? nameOfGroup("throttle", item.groups.throttle) : fullGroup(unit, free);
  if (groupName === item.heldBy) return groupName;
  free.heldBy = groupName;
  if (groupName === "") free.list = listOf(unit, free, free.readyAt);
  unit.change(item, free, "held");
  if (groupName && kindOf(groupName) === "throttle") ensureWake(unit, item.groups.throttle);
  return groupName;
}

/** Behind those its groups already hold back, or behind a group that is full: no use meeting it at every claim. */
function holdBehind(unit: UnitOfWork, item: Item): string {
  const { throttle, singleton, concurrency } = item.groups;
  // A delay of its own may be over before the lease of the item whose key it waits for. One that tells of its key has it.
  if (singleton && !item.tells && unit.groups.key(singleton)?.waiting === item.id)
    return nameOfGroup("singleton", singleton);
  const control = unit.router.config.admission?.throttle;
  if (throttle && control) {
    const group = unit.groups.throttle(throttle);
    if (group && (holdsBack(group, item) || eligibleAt(control, group) > unit.now))
      return nameOfGroup("throttle", throttle);
  }
  if (unit.groups.holdsSomebody)
    for (const { id } of concurrency) {
      const group = unit.groups.concurrency(id);
      if (group && holdsBack(group, item)) return nameOfGroup("concurrency", id);
    }
  return fullGroup(unit, item);
}

/** It holds back others of the item's class already. */
function holdsBack({ held }: { readonly held: HeldCounts }, { classNo }: Item): boolean {
  return (held[classNo] ?? 0) > 0;
}

/** Start-time fair queuing: a key starts where its last item ended, or now; heavier keys end sooner. */
function startTag(unit: UnitOfWork, item: Item): number {
  const start = unit.virtualTime(item.band);
  const { fairness } = unit.router.config;
  // Behind those that came while the pool had a fairness key: in front of them, a steady flow would keep them for ever.
  if (!item.flow) return fairness ? start : Math.max(start, unit.state.furthestStart);
  const key = `${item.band}:${item.flow}`;
  const finish = unit.flow(key);
  if (finish === undefined) return start;
  const tag = Math.max(start, finish ?? 0);
  const weights = fairness?.weights ?? {};
  const name = item.flow.slice(2);
  // A key may be called `constructor`: every object has that, and it is no number.
  const weight = Object.hasOwn(weights, name) ? weights[name]! : 1;
  unit.setFlow(key, tag + Math.max(1, Math.round((item.cost * virtualUnit) / weight)));
  return tag;
}

/** The line of its class, or for a while that of the recipient it sticks to. */
function listOf(unit: UnitOfWork, item: Item, readyAt: number): string {
  const everybody = classList(item.classNo);
  if (!item.sticky || unit.now >= readyAt + limits.stickyKeptMs) return everybody;
  const recipient = unit.router.recipients.get(item.sticky);
  if (!recipient || stateExclusion(recipient) || unit.excludes(item.classNo, recipient)) return everybody;
  return recipient.id;
}
