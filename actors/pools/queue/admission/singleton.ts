import { dueAt } from "../rows/due.ts";
import { groupIdOf, nameOfGroup, type SingletonGroup } from "../rows/group.ts";
import { type Item, isOver, type OwnItem } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";
import { finish, handOn, keyOf } from "./finish.ts";

export type SingletonVerdict =
  | { readonly type: "free" }
  /** Nothing is queued; the one that has the key stays. */
  | { readonly type: "skip"; readonly existing: Item }
  /** The ones before are over; the new one takes the key. */
  | { readonly type: "replace"; readonly existing: Item }
  /** The new one waits until the leased one is done, in place of the one that waited before. */
  | { readonly type: "wait"; readonly existing: Item; readonly instead: string };

const free: SingletonVerdict = { type: "free" };

/** What a second item of a key meets. `undefined` where rows have to be read. */
export function judgeSingleton(unit: UnitOfWork, groupId: string): SingletonVerdict | undefined {
  const singleton = unit.router.config.admission?.singleton;
  if (!groupId || !singleton) return free;
  const group = liveSingleton(unit, groupId);
  if (group === undefined) return undefined;
  if (group === null) return free;
  const active = unit.item(group.active);
  if (active === undefined) return undefined;
  if (active === null || isOver(active.state)) return free;
  switch (singleton.mode) {
    case "skip":
      return { type: "skip", existing: active };
    case "cancel":
      return { type: "replace", existing: active };
    case "keep_latest":
      return active.lease
        ? { type: "wait", existing: active, instead: group.waiting }
        : { type: "replace", existing: active };
  }
}

/** The item is the next of its key: it waits for it where the verdict says so, and no other item does any more. */
export function comeNext(unit: UnitOfWork, { id, groups }: Item, verdict: SingletonVerdict): void {
  const key = groups.singleton ? unit.groups.key(groups.singleton) : null;
  if (!key) return;
  // Also where the key ran out while an item still waited for it: the newer item goes first.
  if (key.waiting) supersede(unit, key.waiting);
  if (verdict.type !== "wait") return;
  const groupName = nameOfGroup("singleton", groups.singleton);
  unit.setGroup(groupName, { ...key, waiting: id });
  // The one that waited before has set the same.
  if (key.untilMs > 0 && !key.waiting) unit.addWake(dueAt(key.untilMs, "key", groupName));
}

/** The timer of a key that runs out: the item that waits for it has it from now on, also if the item before lives on. */
export function passOnKey(unit: UnitOfWork, groupName: string): void {
  const key = unit.groups.key(groupIdOf(groupName));
  if (key?.waiting && key.untilMs > 0 && key.untilMs <= unit.now) handOn(unit, groupName, key);
}

/** The new item has its key. A recent one says so itself: most are over before a row would be read. */
export function takeKey(unit: UnitOfWork, item: OwnItem): void {
  const { singleton } = item.groups;
  if (!singleton) return;
  const key = keyOf(unit, item);
  item.tells = item.recent && key.untilMs === 0 && unit.groups.tellKey(item);
  if (!item.tells) unit.setGroup(nameOfGroup("singleton", singleton), key);
}

/** A key that was replaced: the older items are over before the new one is queued, so no two leases are valid. */
export function replaceSingleton(unit: UnitOfWork, groupId: string, existing: Item): void {
  const key = unit.groups.key(groupId);
  // The key goes first: what is ended now must not hand it on.
  unit.setGroup(nameOfGroup("singleton", groupId), null);
  if (key?.waiting) supersede(unit, key.waiting);
  finish(unit, existing, existing.lease ? "cancelled" : "superseded");
}

/** A newer item waits for the key of this one, which goes back into line: it is superseded instead. */
export function hasSuccessor(unit: UnitOfWork, item: Item): boolean {
  if (!item.groups.singleton) return false;
  const key = unit.groups.key(item.groups.singleton);
  return key?.active === item.id && key.waiting !== "";
}

/** Whether the key belongs to another live item, or one waits for it: a dead letter cannot come back beside them. */
export function heldByAnother(unit: UnitOfWork, item: Item): boolean | undefined {
  if (!item.groups.singleton) return false;
  // Also where it has run out, and its timer is about to hand it on.
  if (unit.groups.key(item.groups.singleton)?.waiting) return true;
  const group = liveSingleton(unit, item.groups.singleton);
  return group === undefined ? undefined : group !== null && group.active !== item.id;
}

function liveSingleton(unit: UnitOfWork, groupId: string): SingletonGroup | null | undefined {
  const key = unit.groups.key(groupId);
  return key && key.untilMs > 0 && key.untilMs <= unit.now ? null : key;
}

function supersede(unit: UnitOfWork, id: string): void {
  const waiting = unit.item(id);
  if (waiting && !isOver(waiting.state)) finish(unit, waiting, "superseded");
}
