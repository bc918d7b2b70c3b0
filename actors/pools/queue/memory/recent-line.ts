import { firstKeyOf, limits, takeFrom } from "#base";
import type { Context } from "#runtime";
import type { Place } from "../rows/change.ts";
import { FiredRows, firedRows } from "../rows/fired-rows.ts";
import { type Body, type Item, itemRows } from "../rows/item.ts";
import { bodyInRow, fromRow } from "../rows/item-row.ts";
import type { Stats } from "../rows/stats.ts";
import type { BodyCache } from "./body-cache.ts";
import type { Derived } from "./derived.ts";
import { byLine } from "./ready-index.ts";
import { SortedWindow } from "./sorted-window.ts";

/**
 * Items that came lately and are in line, or wait for a time that comes soon, without a row for it: most are claimed before
 * they would need one. They are all in memory; after a restart the items' own rows from `since` on tell which they are. Who
 * waits longer gets a row (`lined`).
 */
export class RecentLine {
  /** In order of arrival in line. */
  readonly #items = new Map<string, Item>();
  /** In order of creation, with the number each came with. */
  readonly #arrivals = new Map<string, number>();
  readonly #windows = new Map<string, (SortedWindow<Item> | undefined)[]>();
  /** Payloads of those whose own row is written anew when they get a row in line. */
  readonly #bodies = new Map<string, Body>();
  /** Those that are scheduled, in the order in which they will be ready. */
  readonly scheduled = new SortedWindow<Item>(byReadiness, Number.MAX_SAFE_INTEGER, true);
  readonly fired = new FiredRows();
  /** False after a restart, until they are read. */
  known = true;
  /** What rows say of them: that is written again by the next commit, before they are read. */
  #stored = { size: 0, since: "" };

  get size(): number {
    return this.known ? this.#items.size : this.#stored.size;
  }

  /** Beginning of the id of the oldest of them; ids are in order of creation. */
  get since(): string {
    if (!this.known) return this.#stored.since;
    return firstKeyOf(this.#arrivals)?.slice(0, 10) ?? "";
  }

  /** There are so many that memory does not know. */
  forget(size: number, since: string): void {
    this.known = size === 0;
    this.#stored = { size, since };
  }

  /** The one that came first, and the number it came with. */
  get oldest(): { readonly item: Item; readonly arrival: number } | undefined {
    const id = firstKeyOf(this.#arrivals);
    return id === undefined ? undefined : { item: this.#items.get(id)!, arrival: this.#arrivals.get(id)! };
  }

  /** In order of arrival in line. */
  items(): IterableIterator<Item> {
    return this.#items.values();
  }

  find(id: string): Item | undefined {
    return this.#items.get(id);
  }

  body(id: string): Body | undefined {
    return this.#bodies.get(id);
  }

  window(list: string, band: number): SortedWindow<Item> | undefined {
    return this.#windows.get(list)?.[band];
  }

  /** A new one, or one that has changed and stays. `body`: stored with an item that is scheduled. */
  put(item: Item, body?: Body): void {
    const before = this.#items.get(item.id);
    if (before) this.#takeOut(before);
    if (before && before.order !== item.order) this.#items.delete(item.id);
    this.#items.set(item.id, item);
    if (!this.#arrivals.has(item.id)) this.#arrivals.set(item.id, item.order);
    if (body) this.#bodies.set(item.id, body);
    if (item.state === "scheduled") this.scheduled.insert(item);
    else this.#windowOf(item.list, item.band).insert(item);
  }

  remove(id: string): void {
    this.#takeOut(takeFrom(this.#items, id)!);
    this.#arrivals.delete(id);
    this.#bodies.delete(id);
    this.fired.remove(id);
  }

  /** The class is gone. */
  drop(list: string): void {
    this.#windows.delete(list);
  }

  /** Those that rows tell of, with the arrival numbers of their own rows. Ids of one millisecond are in no order. */
  restore(stored: readonly Item[], current: readonly Item[], bodies: ReadonlyMap<string, Body>): void {
    const items = new Map(current.map((item) => [item.id, item]));
    for (const { id, order } of stored.toSorted((a, b) => a.createdAt - b.createdAt || a.order - b.order))
      if (items.has(id)) this.#arrivals.set(id, order);
    for (const item of current.toSorted((a, b) => a.order - b.order)) this.put(item, bodies.get(item.id));
  }

  #takeOut(item: Item): void {
    if (item.state === "scheduled") this.scheduled.remove(item);
    else this.#windows.get(item.list)?.[item.band]?.remove(item);
  }

  #windowOf(list: string, band: number): SortedWindow<Item> {
    let bands = this.#windows.get(list);
    if (!bands) {
      bands = [];
      this.#windows.set(list, bands);
    }
    bands[band] ??= new SortedWindow(byLine, Number.MAX_SAFE_INTEGER, true);
    return bands[band]!;
  }
}

/** Of one time in the order in which they came. */
function byReadiness(a: Item, b: Item): number {
  return a.notBefore - b.notBefore || a.order - b.order;
}

/** What the functions below need of a queue. */
interface LineState extends Pick<Stats, "order" | "lined" | "counts" | "held"> {
  readonly recent: RecentLine;
  readonly leases: { has(id: string): boolean };
  readonly bodies: BodyCache;
  readonly derived: Derived;
}

/** It is in line, or waits for a time, without a row for it. */
export function isRecent(state: LineState, place: Place): boolean {
  return place.recent && place.order > state.lined;
}

/** Where there is a backlog, who comes now waits behind it: a row at once costs less than one later. */
export function mayBeRecent(state: LineState, alsoReady: number): boolean {
  return state.counts.ready - state.held + alsoReady < limits.queueRecentMax;
}

/** A time that comes soon needs no row, unless many wait for one. */
export function mayWaitRecent(state: LineState, alsoWaiting: number, delayMs: number): boolean {
  return delayMs <= limits.queueLineAfterMs && state.recent.size + alsoWaiting < limits.queueRecentMax;
}

/** Recent items among many others get their rows soon, so that few items' rows have to be read after a restart. */
export function isBacklog(state: LineState): boolean {
  return state.recent.size > 0 && !mayBeRecent(state, 0);
}

/**
 * Who stands in line up to here has too many others of any sort after it: a restart would have to read the rows of all of
 * them. 0: none has.
 */
export function beyondReach(state: LineState): number {
  const { oldest } = state.recent;
  return oldest && oldest.arrival <= state.order - limits.queueRecentReach ? oldest.item.order : 0;
}

/** Brings them back into memory after a restart. */
export function recallRecent(state: LineState, context: Context): void {
  const { recent } = state;
  const stored: Item[] = [];
  const bodies = new Map<string, Body>();
  let from = recent.since;
  for (let more = true; more; ) {
    const rows = context.scan(itemRows, { prefix: [], from: [from], limit: limits.queueReadsMax });
    for (const { key, value } of rows) {
      const item = fromRow(value);
      // The row of a leased item tells of the time before its lease.
      if (!item.recent || state.leases.has(key[0])) continue;
      stored.push(item);
      const body = bodyInRow(value);
      if (body) bodies.set(item.id, body);
    }
    more = rows.length === limits.queueReadsMax;
    from = `${rows.at(-1)?.key[0]}\0`;
  }
  const rows = context.scan(firedRows, { prefix: [], limit: limits.queueReadsMax });
  recall(state, stored, bodies, recent.fired.restore(rows, scheduledAmong(stored)));
}

export function scheduledAmong(items: readonly Item[]): (id: string) => Item | undefined {
  const scheduled = new Map(items.map((item) => [item.id, item]));
  return (id) => {
    const item = scheduled.get(id);
    return item?.state === "scheduled" ? item : undefined;
  };
}

function recall(
  state: LineState,
  stored: readonly Item[],
  bodies: ReadonlyMap<string, Body>,
  fired: readonly Item[],
): void {
  const { recent } = state;
  const ready = new Map(fired.map((item) => [item.id, item]));
  const current = stored.map((item) => ready.get(item.id) ?? item).filter((item) => isRecent(state, item));
  const kept = new Map<string, Body>();
  for (const { id, state: own, bytes } of stored) {
    const body = bodies.get(id);
    if (!body) continue;
    if (own === "scheduled") kept.set(id, body);
    else state.bodies.set(id, body, bytes);
  }
  recent.restore(stored, current, kept);
  for (const item of current) state.derived.addRecent(item);
  recent.known = true;
}

interface LineUp {
  /** Those that came up to here get a row; 0: none has waited long enough. */
  readonly order: number;
  /** When the next of them has; 0: none is left. */
  readonly nextAt: number;
}

/** Who has waited long enough for a row in line, or is part of a backlog; a bounded number at a time. */
export function lineUp(state: LineState, now: number): LineUp {
  let order = 0;
  let count = 0;
  const afterMs = isBacklog(state) ? 0 : limits.queueLineAfterMs;
  for (const item of state.recent.items()) {
    const dueAt = recentSince(item) + afterMs;
    // Once one is due, those that will be soon go along.
    const reached = count === 0 ? dueAt <= now : dueAt - afterMs / 2 <= now;
    if (!reached || count >= limits.queueTickItemsMax) return { order, nextAt: Math.max(dueAt, now + 1) };
    order = item.order;
    count++;
  }
  return { order, nextAt: 0 };
}

/** When it got the number it stands in line with. */
export function recentSince({ readyAt, createdAt }: Item): number {
  return readyAt || createdAt;
}
