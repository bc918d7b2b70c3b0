import type { Context, RangeRef, RowRef } from "#runtime";
import { charged, keyTold, windowTold } from "../memory/told.ts";
import { type Group, groupIdOf, kindOf, type Parked, withParked } from "../rows/group.ts";
import type { Item } from "../rows/item.ts";
import type { State } from "../state.ts";

const nobody: ReadonlyMap<string, never> = new Map<string, never>();

/** What a command is about to change in admission groups, over the state it does not touch. */
export class DraftGroups {
  readonly #state: State;
  readonly #context: Context;
  readonly #missing: (RowRef | RangeRef)[];
  /** An item as the command has it by now. */
  readonly #item: (id: string) => Item | null | undefined;
  // Most commands need none of these: they are made when something goes into them.
  #rows: Map<string, Group | null> | undefined;
  #holders: Map<string, string> | undefined;
  #windows: Map<string, string> | undefined;
  #charges: Map<string, number> | undefined;
  #inUse: Map<string, number> | undefined;
  #freed: Map<string, number> | undefined;
  #fuller: Map<string, Set<string>> | undefined;

  constructor(
    state: State,
    context: Context,
    missing: (RowRef | RangeRef)[],
    item: (id: string) => Item | null | undefined,
  ) {
    this.#state = state;
    this.#context = context;
    this.#missing = missing;
    this.#item = item;
  }

  /** Rows that change; what items tell needs none. */
  changes(): readonly (readonly [hold: string, group: Group | null])[] | undefined {
    if (this.#rows === undefined) return undefined;
    const changes: [string, Group | null][] = [];
    for (const [hold, group] of this.#rows)
      if (group !== null || this.#state.groups.peek(hold) !== null) changes.push([hold, group]);
    return changes.length === 0 ? undefined : changes;
  }

  get(hold: string): Group | null | undefined {
    const own = this.#rows?.get(hold);
    const row = own !== undefined ? own : this.#state.groups.get(hold, this.#context, this.#missing);
    if (row === undefined) return undefined;
    const kind = kindOf(hold);
    if (kind === "throttle") return charged(row, this.#tat(groupIdOf(hold)));
    // What the command has set to nothing is nothing, whoever told of it before.
    if (row !== null || own === null || kind === "concurrency") return row;
    return kind === "singleton" ? this.#key(groupIdOf(hold)) : this.#window(groupIdOf(hold));
  }

  #key(groupId: string): Group | null | undefined {
    const id = this.#holders?.get(groupId) ?? this.#state.told.holder(groupId);
    return id === undefined ? null : keyTold(this.#item(id));
  }

  #window(groupId: string): Group | null | undefined {
    const id = this.#windows?.get(groupId) ?? this.#state.told.window(groupId);
    return id === undefined ? null : windowTold(this.#item(id));
  }

  #tat(groupId: string): number {
    return this.#charges?.get(groupId) ?? this.#state.told.tat(groupId);
  }

  set(hold: string, group: Group | null): void {
    this.#rows ??= new Map();
    this.#rows.set(hold, group);
  }

  /** Rather than being told by an item. */
  hasRow(hold: string): boolean {
    const own = this.#rows?.get(hold);
    return (own !== undefined ? own : this.#state.groups.get(hold, this.#context, this.#missing)) !== null;
  }

  /** True: the item can tell of its singleton key from now on, and the row that was to be written is not. */
  tellKey(hold: string, item: Item): boolean {
    const group = this.#rows?.get(hold);
    if (group?.kind !== "singleton" || group.active !== item.id || group.waiting || group.untilMs > 0)
      return false;
    if (this.#state.groups.peek(hold) !== null) return false;
    this.#rows!.delete(hold);
    this.#holders ??= new Map();
    this.#holders.set(groupIdOf(hold), item.id);
    return true;
  }

  /** The item is the open window of its debounce key from now on. */
  tellWindow(item: Item): void {
    this.#windows ??= new Map();
    this.#windows.set(item.groups.debounce, item.id);
  }

  /** A lease of this command says so; 0: what leases say counts no more. */
  charge(groupId: string, tat: number): void {
    this.#charges ??= new Map();
    this.#charges.set(groupId, tat);
  }

  inUse(groupId: string): number {
    return this.#inUse?.get(groupId) ?? this.#state.inUse.get(groupId) ?? 0;
  }

  use(groupId: string, cost: number): void {
    this.#inUse ??= new Map();
    this.#inUse.set(groupId, this.inUse(groupId) + cost);
  }

  /** Groups in which something made room, and how much: slots, or places in line. */
  get freed(): ReadonlyMap<string, number> {
    return this.#freed ?? nobody;
  }

  free(hold: string, by: number): void {
    this.#freed ??= new Map();
    this.#freed.set(hold, (this.#freed.get(hold) ?? 0) + by);
  }

  /** Groups that hold back somebody more than before, and whom. */
  get fuller(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#fuller ?? nobody;
  }

  /** An item is held back by another group than before, or by none. */
  moveHold(before: Item | null, after: Item): void {
    const was = before?.hold ?? "";
    if (was === after.hold) return;
    if (was) this.#park(was, after.classNo, -1);
    if (!after.hold) return;
    this.#park(after.hold, after.classNo, 1);
    this.#fuller ??= new Map();
    const held = this.#fuller.get(after.hold);
    if (held) held.add(after.id);
    else this.#fuller.set(after.hold, new Set([after.id]));
  }

  #park(hold: string, classNo: number, by: number): void {
    const group = this.get(hold);
    if (group === undefined || kindOf(hold) === "singleton") return;
    const parked: Parked = withParked(group && "parked" in group ? group.parked : {}, classNo, by);
    if (kindOf(hold) === "throttle") {
      const { tat, wakeAt } = group?.kind === "throttle" ? group : { tat: 0, wakeAt: 0 };
      this.set(hold, { kind: "throttle", tat, parked, wakeAt });
    } else this.set(hold, Object.keys(parked).length === 0 ? null : { kind: "concurrency", parked });
  }
}
