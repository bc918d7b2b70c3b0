import { limits } from "#base";
import type { Context, StoredRow } from "#runtime";
import type { Item } from "../rows/item.ts";
import { bodyInRow, fromRow } from "../rows/item-row.ts";
import type { BodyCache } from "./body-cache.ts";
import { SortedWindow } from "./sorted-window.ts";

/**
 * The line of ready items. One list per eligibility class (and per recipient that sticky items are kept for), five bands
 * in each, ordered inside a band by virtual start time and arrival. A band of a list is a range of rows whose beginning is
 * in memory; so a claim looks at a few heads, however many items wait behind them. Mostly the rows have the payloads too:
 * then a claim reads nothing else.
 */
export class ReadyIndex {
  /** By list; in each the bands that were looked at. */
  readonly #windows = new Map<string, (SortedWindow<Item> | undefined)[]>();
  /** Those that came while the line was in memory; the others have rows that are easily read. */
  readonly #hot = new Map<string, Item>();
  readonly #bodies: BodyCache;
  #complete = true;
  /** With so many lists the empty ones are forgotten. */
  #listsMax: number = limits.queueListsMax;

  /** `bodies`: gets the payloads that come with rows of the line. */
  constructor(bodies: BodyCache) {
    this.#bodies = bodies;
  }

  /** How many lists memory knows. */
  get size(): number {
    return this.#windows.size;
  }

  /** There are rows that memory does not know. */
  forget(): void {
    this.#windows.clear();
    this.#hot.clear();
    this.#complete = false;
  }

  /** The item, where it got into line near its head. */
  find(id: string): Item | undefined {
    return this.#hot.get(id);
  }

  window(list: string, band: number): SortedWindow<Item> {
    const bands = this.#bands(list);
    let window = bands[band];
    if (window === undefined) {
      window = new SortedWindow(byLine, limits.queueWindowMax, this.#complete);
      bands[band] = window;
    }
    return window;
  }

  #bands(list: string): (SortedWindow<Item> | undefined)[] {
    let bands = this.#windows.get(list);
    if (bands === undefined) {
      if (this.#windows.size >= this.#listsMax) this.#dropEmpty();
      bands = [];
      this.#windows.set(list, bands);
    }
    return bands;
  }

  /** Recipients come and go, and each that claimed has a list: an empty one can be made again. */
  #dropEmpty(): void {
    const isEmpty = (window: SortedWindow<Item> | undefined) =>
      window === undefined || (window.length === 0 && (window.complete || !this.#complete));
    for (const [list, bands] of this.#windows) if (bands.every(isEmpty)) this.#windows.delete(list);
    // Where most are not empty it is not tried again for each that is new.
    this.#listsMax = Math.max(limits.queueListsMax, this.#windows.size * 2);
  }

  /** True: it is near enough to the head to be in memory. */
  insert(item: Item): boolean {
    const inside = this.window(item.list, item.band).insert(item, (cut) => this.#hot.delete(cut.id));
    if (inside) this.#hot.set(item.id, item);
    return inside;
  }

  remove(id: string, place: Pick<Item, "list" | "band" | "tag" | "order">): void {
    this.window(place.list, place.band).remove(place as Item);
    this.#hot.delete(id);
  }

  /** A class that is new has no rows yet; one that is gone leaves nothing behind. */
  reset(list: string): void {
    const bands = this.#bands(list);
    for (let band = 1; band <= limits.queueBands; band++)
      bands[band] = new SortedWindow(byLine, limits.queueWindowMax, true);
  }

  drop(list: string): void {
    this.#windows.delete(list);
  }

  /**
   * Brings the head of a band into memory where less than `least` of it is there. False: rows have to be read first.
   * This changes what memory holds, not what is true, so deciding may do it.
   */
  load(list: string, band: number, least: number, context: Context): boolean {
    const window = this.window(list, band);
    if (window.complete || window.length >= least) return true;
    const { reach } = window;
    const rows = context.range({
      collection: "ready",
      prefix: [list, band],
      ...(reach && { from: [list, band, reach.tag, reach.order + 1], to: [list, band + 1] }),
      limit: limits.queueWindowRefill,
    });
    if (rows === undefined) return false;
    window.refill(rows, this.#arrive, rows.length < limits.queueWindowRefill);
    return true;
  }

  /** A row of the line, when it is looked at. */
  readonly #arrive = ({ value }: StoredRow): Item => {
    const item = fromRow(value);
    const body = bodyInRow(value);
    if (body) this.#bodies.set(item.id, body, item.bytes);
    return item;
  };
}

/** Order in line inside one band. */
export function byLine(a: Item, b: Item): number {
  return a.band - b.band || a.tag - b.tag || a.order - b.order;
}
