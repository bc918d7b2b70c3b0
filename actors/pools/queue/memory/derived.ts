import type { Context } from "#runtime";
import {
  type DebounceGroup,
  type Group,
  groupIdOf,
  type HeldCounts,
  kindOf,
  nameOfGroup,
  type SingletonGroup,
  type ThrottleGroup,
} from "../rows/group.ts";
import { type Item, isOver } from "../rows/item.ts";
import type { KnownItems } from "../rows/known-items.ts";
import type { HotRows } from "./hot-rows.ts";

/** What items in memory tell of the groups of one id: controls with the same key share it. */
export interface Telling {
  /** The item that has the singleton key; empty: none does. */
  owner: string;
  /** The item that is the open window of the debounce key; empty: none is. */
  window: string;
  /** The latest theoretical arrival time among the leases of the throttle key; 0: none says one. */
  tat: number;
  /** Concurrency slots that leases take. */
  slots: number;
}

interface ToldGroup extends Telling {
  /** Leases that say a theoretical arrival time. */
  charges: number;
}

const nothing: Readonly<Telling> = { owner: "", window: "", tat: 0, slots: 0 };

/**
 * What items in memory tell of admission groups, so that no row has to: recent items and leases are all here, also after a
 * restart. A recent or leased item that `tells` has its singleton key; one that is scheduled and recent is the open
 * window of its debounce key; a lease says how far its throttle key was charged, and takes slots. Most keys are never in a row.
 */
export class Derived {
  readonly #groups = new Map<string, ToldGroup>();
  /** The one that was asked for last: the controls of an item mostly share one. */
  #id = "";
  #last: ToldGroup | undefined;

  of(groupId: string): Readonly<Telling> {
    return this.#find(groupId) ?? nothing;
  }

  addRecent(item: Item): void {
    const { singleton, debounce } = item.groups;
    if (item.tells) this.#open(singleton).owner = item.id;
    if (debounce && item.state === "scheduled") this.#open(debounce).window = item.id;
  }

  dropRecent(item: Item): void {
    this.dropKey(item);
    this.dropWindow(item);
  }

  dropKey({ id, groups }: Item): void {
    const derived = groups.singleton ? this.#find(groups.singleton) : undefined;
    if (derived?.owner !== id) return;
    derived.owner = "";
    this.#close(groups.singleton, derived);
  }

  dropWindow({ id, groups }: Item): void {
    const derived = groups.debounce ? this.#find(groups.debounce) : undefined;
    if (derived?.window !== id) return;
    derived.window = "";
    this.#close(groups.debounce, derived);
  }

  addLease({ id, groups, tells, lease }: Item): void {
    if (tells) this.#open(groups.singleton).owner = id;
    if (lease!.tat > 0) {
      const derived = this.#open(groups.throttle);
      derived.charges++;
      derived.tat = Math.max(derived.tat, lease!.tat);
    }
    for (const slot of groups.concurrency) this.#open(slot.id).slots += slot.cost;
  }

  dropLease(item: Item): void {
    const { groups, lease } = item;
    this.dropKey(item);
    if (lease!.tat > 0) {
      const derived = this.#find(groups.throttle)!;
      if (--derived.charges === 0) derived.tat = 0;
      this.#close(groups.throttle, derived);
    }
    for (const slot of groups.concurrency) {
      const derived = this.#find(slot.id)!;
      derived.slots -= slot.cost;
      this.#close(slot.id, derived);
    }
  }

  /** The names of all groups that items tell of. */
  *groupNames(): IterableIterator<string> {
    for (const [id, { owner, window, charges, slots }] of this.#groups) {
      if (owner) yield nameOfGroup("singleton", id);
      if (window) yield nameOfGroup("debounce", id);
      if (charges > 0) yield nameOfGroup("throttle", id);
      if (slots > 0) yield nameOfGroup("concurrency", id);
    }
  }

  #find(groupId: string): ToldGroup | undefined {
    if (groupId !== this.#id) {
      this.#id = groupId;
      this.#last = this.#groups.get(groupId);
    }
    return this.#last;
  }

  #open(groupId: string): ToldGroup {
    const known = this.#find(groupId);
    if (known) return known;
    const derived = { owner: "", window: "", tat: 0, slots: 0, charges: 0 };
    this.#groups.set(groupId, derived);
    this.#last = derived;
    return derived;
  }

  #close(groupId: string, { owner, window, charges, slots }: ToldGroup): void {
    if (owner || window || charges > 0 || slots > 0) return;
    this.#groups.delete(groupId);
    this.#last = undefined;
  }
}

interface TellingState extends KnownItems {
  readonly groups: HotRows<Group>;
  readonly derived: Derived;
}

/** A group by its row or by what items tell; `null` where there is none, `undefined` where the row has to be read. */
export function findGroup(
  state: TellingState,
  context: Context,
  groupName: string,
): Group | null | undefined {
  const row = state.groups.get(groupName, context);
  return row === undefined ? undefined : derivedGroup(state, groupName, row);
}

export function derivedGroup(state: TellingState, groupName: string, row: Group | null): Group | null {
  const groupId = groupIdOf(groupName);
  switch (kindOf(groupName)) {
    case "singleton":
      return row ?? derivedKey(memoryItem(state, state.derived.of(groupId).owner));
    case "debounce":
      return row ?? derivedWindow(memoryItem(state, state.derived.of(groupId).window));
    case "throttle":
      return charged(row, state.derived.of(groupId).tat);
    case "concurrency":
      return row;
  }
}

/** It still says that it has its singleton key. */
export function isTelling(item: Item): boolean {
  return item.tells && !isOver(item.state) && (item.lease !== null || item.recent);
}

/** The key that this item has, if it still says so. */
export function derivedKey(item: Item | null | undefined): SingletonGroup | null {
  if (!item || !isTelling(item)) return null;
  return { kind: "singleton", active: item.id, waiting: "", untilMs: 0 };
}

/** The window that this item is, if it still waits for more. */
export function derivedWindow(item: Item | null | undefined): DebounceGroup | null {
  if (!item?.recent || item.state !== "scheduled") return null;
  const { id, createdAt, notBefore } = item;
  return { kind: "debounce", item: id, firstAt: createdAt, notBefore: 0, fireAt: notBefore };
}

const noneHeld: HeldCounts = {};

/** The row of a throttle key and what was charged since. */
export function charged(row: Group | null, tat: number): ThrottleGroup | null {
  const group = row?.kind === "throttle" ? row : null;
  if (tat <= (group?.tat ?? 0)) return group;
  return { kind: "throttle", tat, held: group?.held ?? noneHeld, wakeAt: group?.wakeAt ?? 0 };
}

function memoryItem(state: KnownItems, id: string): Item | undefined {
  return id === "" ? undefined : (state.leases.get(id) ?? state.recent.find(id));
}
