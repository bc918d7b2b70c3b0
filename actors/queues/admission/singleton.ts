import type { Draft } from "../draft/draft.ts";
import { holdOf, type SingletonGroup } from "../rows/group.ts";
import { type Item, isOver } from "../rows/item.ts";
import { finish, keyOf } from "./finish.ts";

export type SingletonVerdict =
  | { readonly type: "free" }
  /** Nothing is queued; the one that has the key stays. */
  | { readonly type: "skip"; readonly existing: Item }
  /** The ones before are over; the new one takes the key. */
  | { readonly type: "replace"; readonly existing: Item }
  /** The new one waits until the leased one is done, in place of whoever waited before. */
  | { readonly type: "wait"; readonly existing: Item; readonly instead: string };

/** What a second item of a key meets. `undefined` where rows have to be read. */
export function judgeSingleton(draft: Draft, groupId: string): SingletonVerdict | undefined {
  const singleton = draft.router.config.admission?.singleton;
  if (!groupId || !singleton) return { type: "free" };
  const group = liveSingleton(draft, groupId);
  if (group === undefined) return undefined;
  if (group === null) return { type: "free" };
  const active = draft.item(group.active);
  if (active === undefined) return undefined;
  if (active === null || isOver(active.state)) return { type: "free" };
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

/** The item has its key now, after whatever the verdict asked for. */
export function takeSingleton(draft: Draft, item: Item, verdict: SingletonVerdict): void {
  if (!item.groups.singleton) return;
  const hold = holdOf("singleton", item.groups.singleton);
  const known = draft.group(hold);
  if (verdict.type === "wait" && known?.kind === "singleton") {
    if (known.waiting) supersede(draft, known.waiting);
    draft.setGroup(hold, { ...known, waiting: item.id });
    return;
  }
  // The key ran out while somebody still waited for it: the newer item goes first.
  if (known?.kind === "singleton" && known.waiting) supersede(draft, known.waiting);
  draft.setGroup(hold, keyOf(draft, item));
}

/** A key that was replaced: the older items are over before the new one is queued, so no two leases are valid. */
export function replaceSingleton(draft: Draft, groupId: string, existing: Item): void {
  const group = draft.group(holdOf("singleton", groupId));
  // The group goes first: what is ended now must not hand the key on.
  draft.setGroup(holdOf("singleton", groupId), null);
  if (group?.kind === "singleton" && group.waiting) supersede(draft, group.waiting);
  finish(
    draft,
    existing,
    existing.lease ? "cancelled" : "superseded",
    existing.lease ? "cancelled" : "superseded",
  );
}

/** A newer item waits for the key of this one, which goes back into line: it is superseded instead. */
export function hasSuccessor(draft: Draft, item: Item): boolean {
  if (!item.groups.singleton) return false;
  const group = draft.group(holdOf("singleton", item.groups.singleton));
  return group?.kind === "singleton" && group.active === item.id && group.waiting !== "";
}

/** Whether the key belongs to another live item: a dead letter cannot come back beside it. */
export function heldByAnother(draft: Draft, item: Item): boolean | undefined {
  if (!item.groups.singleton) return false;
  const group = liveSingleton(draft, item.groups.singleton);
  return group === undefined ? undefined : group !== null && group.active !== item.id;
}

function liveSingleton(draft: Draft, groupId: string): SingletonGroup | null | undefined {
  const group = draft.group(holdOf("singleton", groupId));
  if (!group) return group;
  if (group.kind !== "singleton") return null;
  return group.untilMs > 0 && group.untilMs <= draft.now ? null : group;
}

function supersede(draft: Draft, id: string): void {
  const waiting = draft.item(id);
  if (waiting && !isOver(waiting.state)) finish(draft, waiting, "superseded", "superseded");
}
