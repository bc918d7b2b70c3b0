import type { Draft } from "../draft/draft.ts";
import { dueAt } from "../rows/due.ts";
import { groupIdOf, nameOfGroup, type SingletonGroup } from "../rows/group.ts";
import { type Item, isOver, type OwnItem } from "../rows/item.ts";
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
export function judgeSingleton(draft: Draft, groupId: string): SingletonVerdict | undefined {
  const singleton = draft.router.config.admission?.singleton;
  if (!groupId || !singleton) return free;
  const group = liveSingleton(draft, groupId);
  if (group === undefined) return undefined;
  if (group === null) return free;
  const active = draft.item(group.active);
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
export function comeNext(draft: Draft, { id, groups }: Item, verdict: SingletonVerdict): void {
  const key = groups.singleton ? draft.groups.key(groups.singleton) : null;
  if (!key) return;
  // Also where the key ran out while an item still waited for it: the newer item goes first.
  if (key.waiting) supersede(draft, key.waiting);
  if (verdict.type !== "wait") return;
  const groupName = nameOfGroup("singleton", groups.singleton);
  draft.setGroup(groupName, { ...key, waiting: id });
  // The one that waited before has set the same.
  if (key.untilMs > 0 && !key.waiting) draft.addWake(dueAt(key.untilMs, "key", groupName));
}

/** The timer of a key that runs out: the item that waits for it has it from now on, also if the item before lives on. */
export function passOnKey(draft: Draft, groupName: string): void {
  const key = draft.groups.key(groupIdOf(groupName));
  if (key?.waiting && key.untilMs > 0 && key.untilMs <= draft.now) handOn(draft, groupName, key);
}

/** The new item has its key. A recent one says so itself: most are over before a row would be read. */
export function takeKey(draft: Draft, item: OwnItem): void {
  const { singleton } = item.groups;
  if (!singleton) return;
  const key = keyOf(draft, item);
  item.tells = item.recent && key.untilMs === 0 && draft.groups.tellKey(item);
  if (!item.tells) draft.setGroup(nameOfGroup("singleton", singleton), key);
}

/** A key that was replaced: the older items are over before the new one is queued, so no two leases are valid. */
export function replaceSingleton(draft: Draft, groupId: string, existing: Item): void {
  const key = draft.groups.key(groupId);
  // The key goes first: what is ended now must not hand it on.
  draft.setGroup(nameOfGroup("singleton", groupId), null);
  if (key?.waiting) supersede(draft, key.waiting);
  finish(draft, existing, existing.lease ? "cancelled" : "superseded");
}

/** A newer item waits for the key of this one, which goes back into line: it is superseded instead. */
export function hasSuccessor(draft: Draft, item: Item): boolean {
  if (!item.groups.singleton) return false;
  const key = draft.groups.key(item.groups.singleton);
  return key?.active === item.id && key.waiting !== "";
}

/** Whether the key belongs to another live item, or one waits for it: a dead letter cannot come back beside them. */
export function heldByAnother(draft: Draft, item: Item): boolean | undefined {
  if (!item.groups.singleton) return false;
  // Also where it has run out, and its timer is about to hand it on.
  if (draft.groups.key(item.groups.singleton)?.waiting) return true;
  const group = liveSingleton(draft, item.groups.singleton);
  return group === undefined ? undefined : group !== null && group.active !== item.id;
}

function liveSingleton(draft: Draft, groupId: string): SingletonGroup | null | undefined {
  const key = draft.groups.key(groupId);
  return key && key.untilMs > 0 && key.untilMs <= draft.now ? null : key;
}

function supersede(draft: Draft, id: string): void {
  const waiting = draft.item(id);
  if (waiting && !isOver(waiting.state)) finish(draft, waiting, "superseded");
}
