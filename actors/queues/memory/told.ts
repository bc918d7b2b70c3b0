import type { Context } from "#runtime";
import {
  type DebounceGroup,
  type Group,
  groupIdOf,
  kindOf,
  type Parked,
  type SingletonGroup,
  type ThrottleGroup,
} from "../rows/group.ts";
import { type Item, isOver } from "../rows/item.ts";
import type { Missing } from "../rows/missing.ts";
import type { State } from "../state.ts";

/**
 * What items in memory tell of admission groups, so that no row has to: recent items and leases are all here, also after a
 * restart. A recent or leased item that `tells` has its singleton key; one that is scheduled and recent is the open
 * window of its debounce key; a lease says how far its throttle key was charged. Most keys are never in a row.
 */
export class Told {
  readonly #keys = new Map<string, string>();
  readonly #windows = new Map<string, string>();
  readonly #charges = new Map<string, { tat: number; leases: number }>();

  /** The item that has a singleton key. */
  holder(groupId: string): string | undefined {
    return this.#keys.get(groupId);
  }

  /** The item that is the open window of a debounce key. */
  window(groupId: string): string | undefined {
    return this.#windows.get(groupId);
  }

  /** The latest theoretical arrival time among the leases of a throttle key; 0: none says one. */
  tat(groupId: string): number {
    return this.#charges.get(groupId)?.tat ?? 0;
  }

  addRecent(item: Item): void {
    if (item.tells) this.#keys.set(item.groups.singleton, item.id);
    if (item.groups.debounce && item.state === "scheduled") this.#windows.set(item.groups.debounce, item.id);
  }

  dropRecent(item: Item): void {
    this.dropKey(item);
    this.dropWindow(item);
  }

  dropKey({ id, groups }: Item): void {
    if (groups.singleton && this.#keys.get(groups.singleton) === id) this.#keys.delete(groups.singleton);
  }

  dropWindow({ id, groups }: Item): void {
    if (groups.debounce && this.#windows.get(groups.debounce) === id) this.#windows.delete(groups.debounce);
  }

  addLease(item: Item): void {
    if (item.tells) this.#keys.set(item.groups.singleton, item.id);
    const tat = item.lease!.tat;
    if (tat === 0) return;
    const charge = this.#charges.get(item.groups.throttle);
    if (charge === undefined) this.#charges.set(item.groups.throttle, { tat, leases: 1 });
    else {
      charge.leases++;
      charge.tat = Math.max(charge.tat, tat);
    }
  }

  dropLease(item: Item): void {
    this.dropKey(item);
    const { groups, lease } = item;
    if (lease!.tat === 0) return;
    const charge = this.#charges.get(groups.throttle)!;
    if (--charge.leases === 0) this.#charges.delete(groups.throttle);
  }

  /** Every group that items tell of, as holds. */
  *holds(): IterableIterator<string> {
    for (const id of this.#keys.keys()) yield `singleton:${id}`;
    for (const id of this.#windows.keys()) yield `debounce:${id}`;
    for (const id of this.#charges.keys()) yield `throttle:${id}`;
  }
}

/** A group by its row or by what items tell; `null` where there is none, `undefined` where the row has to be read. */
export function findGroup(
  state: State,
  context: Context,
  hold: string,
  missing: Missing,
): Group | null | undefined {
  const row = state.groups.get(hold, context, missing);
  return row === undefined ? undefined : toldGroup(state, hold, row);
}

export function toldGroup(state: State, hold: string, row: Group | null): Group | null {
  const groupId = groupIdOf(hold);
  switch (kindOf(hold)) {
    case "singleton":
      return row ?? keyTold(memoryItem(state, state.told.holder(groupId)));
    case "debounce":
      return row ?? windowTold(memoryItem(state, state.told.window(groupId)));
    case "throttle":
      return charged(row, state.told.tat(groupId));
    case "concurrency":
      return row;
  }
}

/** It still says that it has its singleton key. */
export function isTelling(item: Item): boolean {
  return item.tells && !isOver(item.state) && (item.lease !== null || item.recent);
}

/** The key that this item has, if it still says so. */
export function keyTold(item: Item | null | undefined): SingletonGroup | null {
  if (!item || !isTelling(item)) return null;
  return { kind: "singleton", active: item.id, waiting: "", untilMs: 0 };
}

/** The window that this item is, if it still waits for more. */
export function windowTold(item: Item | null | undefined): DebounceGroup | null {
  if (!item?.recent || item.state !== "scheduled") return null;
  const { id, createdAt, notBefore } = item;
  return { kind: "debounce", item: id, firstAt: createdAt, notBefore: 0, fireAt: notBefore };
}

const nobody: Parked = {};

/** The row of a throttle key and what was charged since. */
export function charged(row: Group | null, tat: number): ThrottleGroup | null {
  const group = row?.kind === "throttle" ? row : null;
  if (tat <= (group?.tat ?? 0)) return group;
  return { kind: "throttle", tat, parked: group?.parked ?? nobody, wakeAt: group?.wakeAt ?? 0 };
}

function memoryItem(state: State, id: string | undefined): Item | undefined {
  return id === undefined ? undefined : (state.leases.get(id) ?? state.recent.find(id));
}
