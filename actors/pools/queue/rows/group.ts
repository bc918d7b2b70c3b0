import { rowsOf } from "#runtime";

/** What the queue remembers of one admission key. The key itself is nowhere: a group is known by a keyed hash. */
export type Group = SingletonGroup | DebounceGroup | ThrottleGroup | ConcurrencyGroup;
export const groupKinds = ["singleton", "debounce", "throttle", "concurrency"] as const;
export type GroupKind = (typeof groupKinds)[number];

export interface SingletonGroup {
  readonly kind: "singleton";
  /** The item that has the key. */
  readonly active: string;
  /** The item that gets it next (keep_latest); empty where none waits. */
  readonly waiting: string;
  /** The key is free again from here even if its item lives on; 0: only with its item. */
  readonly untilMs: number;
}

export interface DebounceGroup {
  readonly kind: "debounce";
  readonly item: string;
  readonly firstAt: number;
  /** What the first item asked for itself: it does not fire before. */
  readonly notBefore: number;
  readonly fireAt: number;
}

export interface ThrottleGroup {
  readonly kind: "throttle";
  /** Theoretical arrival time of GCRA. */
  readonly tat: number;
  readonly held: HeldCounts;
  /** When the first of the held items is let go; 0: no timer is set. */
  readonly wakeAt: number;
}

/** Slots in use are not here: they are counted from the leases, so that none can leak. */
export interface ConcurrencyGroup {
  readonly kind: "concurrency";
  readonly held: HeldCounts;
}

/** Held items by class. */
export type HeldCounts = Readonly<Record<string, number>>;

/** Who cleared a group last. */
export type ClearedRow = readonly [at: number, by: string, reason: string];

export const clearedRows = rowsOf<ClearedRow, readonly [kind: GroupKind, groupId: string]>("cleared");
export const groupRows = rowsOf<readonly unknown[], readonly [kind: GroupKind, groupId: string]>("group");

/** By which rows, timers and items name a group. */
export function nameOfGroup(kind: GroupKind, groupId: string): string {
  return `${kind}:${groupId}`;
}

export function groupIdOf(groupName: string): string {
  return groupName.slice(groupName.indexOf(":") + 1);
}

export function kindOf(groupName: string): GroupKind {
  return groupName.slice(0, groupName.indexOf(":")) as GroupKind;
}

export function heldTotal(held: HeldCounts): number {
  let total = 0;
  for (const classNo in held) total += held[classNo]!;
  return total;
}

/** What a clear leaves, of which nothing has begun since: of a throttle a row that says nothing of a charge. */
export function isLeftOver(group: Group | null): boolean {
  if (group === null) return true;
  return group.kind === "throttle" && group.tat === 0 && heldTotal(group.held) === 0;
}

export function withHeld(held: HeldCounts, classNo: number, by: number): HeldCounts {
  const left = (held[classNo] ?? 0) + by;
  const { [classNo]: _, ...others } = held;
  return left > 0 ? { ...others, [classNo]: left } : others;
}

export function groupToRow(group: Group): unknown[] {
  switch (group.kind) {
    case "singleton":
      return [0, group.active, group.waiting, group.untilMs];
    case "debounce":
      return [1, group.item, group.firstAt, group.fireAt, group.notBefore];
    case "throttle":
      return [2, group.tat, group.held, group.wakeAt];
    case "concurrency":
      return [3, group.held];
  }
}

export function groupFromRow(row: unknown): Group {
  const [kind, a, b, c, d] = row as [number, never, never, never, never];
  switch (groupKinds[kind]!) {
    case "singleton":
      return { kind: "singleton", active: a, waiting: b, untilMs: c };
    case "debounce":
      return { kind: "debounce", item: a, firstAt: b, fireAt: c, notBefore: d };
    case "throttle":
      return { kind: "throttle", tat: a, held: b, wakeAt: c };
    case "concurrency":
      return { kind: "concurrency", held: a };
  }
}
