import { limits, takeFrom } from "#base";
import type { RowWriter } from "#runtime";
import type { Item, ItemRow } from "./item.ts";
import { fromRow } from "./item-row.ts";

interface LeaseRow {
  readonly number: number;
  readonly items: Map<string, ItemRow>;
}

/**
 * How leases are stored: those that one claim gave out share rows, a few in each, since what is claimed together is mostly
 * settled together. A row is written anew when some of its leases end, and goes with the last.
 */
export class LeaseRows {
  readonly #byItem = new Map<string, LeaseRow>();
  readonly #touched = new Set<LeaseRow>();
  /** Takes the next lease of the same claim. */
  #open: LeaseRow | undefined;
  /** Of the newest row; part of the queue's stats. */
  last = 0;

  add(id: string, item: ItemRow): void {
    if (!this.#open || this.#open.items.size >= limits.queueLeasesPerRow)
      this.#open = { number: ++this.last, items: new Map() };
    this.#open.items.set(id, item);
    this.#byItem.set(id, this.#open);
    this.#touched.add(this.#open);
  }

  /** The same lease, otherwise: it stays in its row. */
  replace(id: string, item: ItemRow): void {
    const row = this.#byItem.get(id)!;
    row.items.set(id, item);
    this.#touched.add(row);
  }

  remove(id: string): void {
    const row = takeFrom(this.#byItem, id)!;
    row.items.delete(id);
    this.#touched.add(row);
  }

  /** What one claim gave out is complete. */
  endStep(): void {
    this.#open = undefined;
  }

  /** At the end of a commit: writes what it changed. */
  write(rows: RowWriter): void {
    for (const { number, items } of this.#touched)
      if (items.size === 0) rows.delete("lease", [number]);
      else rows.put("lease", [number], [...items.values()]);
    this.#touched.clear();
  }

  /** The leased items of a stored row. */
  restore(number: number, value: unknown): Item[] {
    const row: LeaseRow = { number, items: new Map() };
    const items = (value as ItemRow[]).map((stored) => {
      const item = fromRow(stored);
      row.items.set(item.id, stored);
      this.#byItem.set(item.id, row);
      return item;
    });
    return items;
  }
}
