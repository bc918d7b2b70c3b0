import { limits } from "#base";
import type { Context, RangeRef } from "#runtime";
import type { Place } from "./change.ts";
import type { Item } from "./item.ts";
import { bodyInRow, fromRow } from "./item-row.ts";
import { byLine } from "./ready-index.ts";
import { SortedWindow } from "./sorted-window.ts";
import type { State } from "./state.ts";

/**
 * Items that came lately and are in line without a row there: most are claimed before they would need one. They are all in
 * memory; after a restart the items' own rows from `since` on tell which they are. Who waits longer gets a row (`lined`).
 */
export class RecentLine {
  readonly #items = new Map<string, Item>();
  readonly #windows = new Map<string, (SortedWindow<Item> | undefined)[]>();
  /** False after a restart, until they are read. */
  known = true;
  #since = "";

  get size(): number {
    return this.#items.size;
  }

  /** Beginning of the id of the oldest of them; ids are in order of creation. Until they are read: as it is stored. */
  get since(): string {
    const first = this.first;
    return first ? first.id.slice(0, 10) : this.#since;
  }

  set since(stored: string) {
    this.#since = stored;
  }

  get first(): Item | undefined {
    return this.#items.values().next().value;
  }

  /** In order of arrival. */
  items(): IterableIterator<Item> {
    return this.#items.values();
  }

  find(id: string): Item | undefined {
    return this.#items.get(id);
  }

  window(list: string, band: number): SortedWindow<Item> | undefined {
    return this.#windows.get(list)?.[band];
  }

  insert(item: Item): void {
    this.#items.set(item.id, item);
    let bands = this.#windows.get(item.list);
    if (!bands) {
      bands = [];
      this.#windows.set(item.list, bands);
    }
    bands[item.band] ??= new SortedWindow(byLine, Number.MAX_SAFE_INTEGER, true);
    bands[item.band]!.insert(item);
  }

  remove(id: string, place: Place): void {
    this.#items.delete(id);
    this.#windows.get(place.list)?.[place.band]?.remove(place as Item);
  }

  /** The class is gone. */
  drop(list: string): void {
    this.#windows.delete(list);
  }
}

/** It stands in line without a row there. */
export function isRecent(state: State, place: Place): boolean {
  return place.recent && place.order > state.lined;
}

/** Where there is a backlog, who comes now waits behind it: a row at once costs less than one later. */
export function mayBeRecent(state: State, alsoReady: number): boolean {
  return state.counts.ready - state.held + alsoReady < limits.queueRecentMax;
}

/** Recent items among many others get their rows soon, so that few items' rows have to be read after a restart. */
export function isBacklog(state: State): boolean {
  return state.recent.size > 0 && !mayBeRecent(state, 0);
}

/**
 * Who came up to here has too many others of any sort after it: a restart would have to read the rows of all of them. 0:
 * nobody has.
 */
export function beyondReach(state: State): number {
  const { first } = state.recent;
  const order = state.order - limits.queueRecentReach;
  return first && first.order <= order ? order : 0;
}

/** Brings them back into memory after a restart. What has to be read first, or `undefined`: they are all here. */
export function recallRecent(state: State, context: Context): RangeRef | undefined {
  const { recent } = state;
  const found: { item: Item; row: unknown }[] = [];
  let from = recent.since;
  for (let more = true; more; ) {
    const ref: RangeRef = { collection: "item", prefix: [], from: [from], limit: limits.queueReadsMax };
    const rows = context.range(ref);
    if (rows === undefined) return ref;
    for (const { key, value } of rows) {
      const item = fromRow(value);
      // The row of a leased item tells of the time before its lease.
      if (isRecent(state, item) && !state.leases.has(key[0] as string)) found.push({ item, row: value });
    }
    more = rows.length === ref.limit;
    from = `${rows.at(-1)?.key[0]}\0`;
  }
  found.sort((a, b) => a.item.order - b.item.order);
  for (const { item, row } of found) {
    recent.insert(item);
    const body = bodyInRow(row);
    if (body) state.bodies.set(item.id, body, item.bytes);
  }
  recent.known = true;
  return undefined;
}

interface LineUp {
  /** Those that came up to here get a row; 0: nobody has waited long enough. */
  readonly order: number;
  /** When the next of them has; 0: nobody is left. */
  readonly nextAt: number;
}

/** Who has waited long enough for a row in line, or is part of a backlog; a bounded number at a time. */
export function lineUp(state: State, now: number): LineUp {
  let order = 0;
  let count = 0;
  const afterMs = isBacklog(state) ? 0 : limits.queueLineAfterMs;
  for (const item of state.recent.items()) {
    const dueAt = item.createdAt + afterMs;
    // Once somebody is due, those who will be soon go along.
    const reached = count === 0 ? dueAt <= now : dueAt - afterMs / 2 <= now;
    if (!reached || count >= limits.queueTickItemsMax) return { order, nextAt: Math.max(dueAt, now + 1) };
    order = item.order;
    count++;
  }
  return { order, nextAt: 0 };
}
