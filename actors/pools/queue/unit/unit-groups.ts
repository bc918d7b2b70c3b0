import type { Context } from "#runtime";
import { charged, derivedKey, derivedWindow, type Telling } from "../memory/derived.ts";
import {
  type ConcurrencyGroup,
  type DebounceGroup,
  type Group,
  type GroupKind,
  groupIdOf,
  type HeldCounts,
  kindOf,
  nameOfGroup,
  type SingletonGroup,
  type ThrottleGroup,
  withHeld,
} from "../rows/group.ts";
import type { Item } from "../rows/item.ts";
import type { State } from "../state.ts";

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** What a command is about to change in admission groups, over the state it does not touch. */
export class UnitGroups {
  readonly #state: State;
  readonly #context: Context;
  /** An item as the command has it by now. */
  readonly #item: (id: string) => Item | null | undefined;
  // Most commands need none of these: they are made when something goes into them.
  #rows: Map<string, Group | null> | undefined;
  /** What its items tell of groups; of others the state knows. */
  #derived: Map<string, Telling> | undefined;
  /** The one that was looked at last: the controls of an item mostly share one. */
  #id = "";
  #last: Readonly<Telling> | undefined;
  #lastIsOwn = false;
  #freed: Map<string, number> | undefined;
  #fuller: Map<string, Set<string>> | undefined;

  constructor(state: State, context: Context, item: (id: string) => Item | null | undefined) {
    this.#state = state;
    this.#context = context;
    this.#item = item;
  }

  /** Rows that change; what items tell needs none. */
  changes(): readonly (readonly [groupName: string, group: Group | null])[] | undefined {
    if (this.#rows === undefined) return undefined;
    const changes: [string, Group | null][] = [];
    for (const [groupName, group] of this.#rows)
      if (group !== null || this.#state.groups.peek(groupName) !== null) changes.push([groupName, group]);
    return changes.length === 0 ? undefined : changes;
  }

  /** A group of any kind. */
  get(groupName: string): Group | null | undefined {
    switch (kindOf(groupName)) {
      case "singleton":
        return this.key(groupIdOf(groupName));
      case "debounce":
        return this.window(groupIdOf(groupName));
      case "throttle":
        return this.throttle(groupIdOf(groupName));
      case "concurrency":
        return this.concurrency(groupIdOf(groupName));
    }
  }

  key(groupId: string): SingletonGroup | null | undefined {
    const row = this.#row<SingletonGroup>("singleton", groupId);
    if (row !== null || this.#ends("singleton", groupId)) return row;
    const { owner } = this.#telling(groupId);
    return owner === "" ? null : derivedKey(this.#item(owner));
  }

  window(groupId: string): DebounceGroup | null | undefined {
    const row = this.#row<DebounceGroup>("debounce", groupId);
    if (row !== null || this.#ends("debounce", groupId)) return row;
    const { window } = this.#telling(groupId);
    return window === "" ? null : derivedWindow(this.#item(window));
  }

  throttle(groupId: string): ThrottleGroup | null | undefined {
    const row = this.#row<ThrottleGroup>("throttle", groupId);
    return row === undefined ? undefined : charged(row, this.#telling(groupId).tat);
  }

  concurrency(groupId: string): ConcurrencyGroup | null | undefined {
    return this.#row<ConcurrencyGroup>("concurrency", groupId);
  }

  /** `Kind`: that of the name. */
  #row<Kind extends Group>(kind: Kind["kind"], groupId: string): Kind | null | undefined {
    if (this.#rows === undefined && this.#state.groups.isEmpty) return null;
    const groupName = nameOfGroup(kind, groupId);
    const own = this.#rows?.get(groupName);
    const row = own !== undefined ? own : this.#state.groups.get(groupName, this.#context);
    return row as Kind | null | undefined;
  }

  /** What the command has set to nothing is nothing, whatever items told of it before. */
  #ends(kind: GroupKind, groupId: string): boolean {
    return this.#rows !== undefined && this.#rows.get(nameOfGroup(kind, groupId)) === null;
  }

  #telling(groupId: string): Readonly<Telling> {
    if (this.#last === undefined || groupId !== this.#id) {
      const own = this.#derived?.get(groupId);
      this.#id = groupId;
      this.#last = own ?? this.#state.derived.of(groupId);
      this.#lastIsOwn = own !== undefined;
    }
    return this.#last;
  }

  /** The same, for this command to change. */
  #ownTelling(groupId: string): Telling {
    const { owner, window, tat, slots } = this.#telling(groupId);
    if (this.#lastIsOwn) return this.#last as Telling;
    const own = { owner, window, tat, slots };
    this.#derived ??= new Map();
    this.#derived.set(groupId, own);
    this.#last = own;
    this.#lastIsOwn = true;
    return own;
  }

  set(groupName: string, group: Group | null): void {
    this.#rows ??= new Map();
    this.#rows.set(groupName, group);
  }

  /** Rather than being told by an item. */
  hasRow(kind: GroupKind, groupId: string): boolean {
    return this.#row(kind, groupId) !== null;
  }

  /** True: the item tells of its singleton key from now on, which needs no row. */
  tellKey(item: Item): boolean {
    const { singleton } = item.groups;
    if (!this.#mayBeTold("singleton", singleton)) return false;
    this.#ownTelling(singleton).owner = item.id;
    return true;
  }

  /** True: the item is the open window of its debounce key from now on, which needs no row. */
  tellWindow(item: Item): boolean {
    const { debounce } = item.groups;
    if (!this.#mayBeTold("debounce", debounce)) return false;
    this.#ownTelling(debounce).window = item.id;
    return true;
  }

  /** Where a row is stored it counts, also one that this command has set to nothing: another has to take its place. */
  #mayBeTold(kind: GroupKind, groupId: string): boolean {
    const { groups } = this.#state;
    if (groups.isEmpty && this.#rows === undefined) return true;
    const groupName = nameOfGroup(kind, groupId);
    if (groups.peek(groupName) !== null) return false;
    this.#rows?.delete(groupName);
    return true;
  }

  /** A lease of this command says so; 0: what leases say counts no more. */
  charge(groupId: string, tat: number): void {
    this.#ownTelling(groupId).tat = tat;
  }

  inUse(groupId: string): number {
    return this.#telling(groupId).slots;
  }

  use(groupId: string, cost: number): void {
    this.#ownTelling(groupId).slots += cost;
  }

  /** Some item of the queue is held back by some group: where none is, no item is let go and no timer is set. */
  get holdsSomebody(): boolean {
    return this.#state.held > 0 || this.#fuller !== undefined;
  }

  /** Groups in which something made room, and how much: slots, or places in line. */
  get freed(): ReadonlyMap<string, number> {
    return this.#freed ?? none;
  }

  free(kind: GroupKind, groupId: string, by: number): void {
    if (!this.holdsSomebody) return;
    const groupName = nameOfGroup(kind, groupId);
    this.#freed ??= new Map();
    this.#freed.set(groupName, (this.#freed.get(groupName) ?? 0) + by);
  }

  /** Groups that hold back further items, and which. */
  get fuller(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#fuller ?? none;
  }

  /** An item is held back by another group than before, or by none. */
  moveHeld(before: Item | null, after: Item): void {
    const was = before?.heldBy ?? "";
    if (was === after.heldBy) return;
    if (was) this.#countHeld(was, after.classNo, -1);
    if (!after.heldBy) return;
    this.#countHeld(after.heldBy, after.classNo, 1);
    this.#fuller ??= new Map();
    const held = this.#fuller.get(after.heldBy);
    if (held) held.add(after.id);
    else this.#fuller.set(after.heldBy, new Set([after.id]));
  }

  #countHeld(groupName: string, classNo: number, by: number): void {
    const group = this.get(groupName);
    if (group === undefined || kindOf(groupName) === "singleton") return;
    const held: HeldCounts = withHeld(group && "held" in group ? group.held : {}, classNo, by);
    if (kindOf(groupName) === "throttle") {
      const { tat, wakeAt } = group?.kind === "throttle" ? group : { tat: 0, wakeAt: 0 };
      this.set(groupName, { kind: "throttle", tat, held, wakeAt });
    } else this.set(groupName, Object.keys(held).length === 0 ? null : { kind: "concurrency", held });
  }
}
