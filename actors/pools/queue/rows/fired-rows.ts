import { takeFrom } from "#base";
import { type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { classList, copyItem, type Item } from "./item.ts";

/** Items that one commit made ready: id, virtual start and arrival of one after the other. */
type FiredRow = readonly [readyAt: number, ...items: (string | number)[]];
export const firedRows = rowsOf<FiredRow, readonly [order: number]>("fired");

interface Row {
  readonly number: number;
  readonly items: (string | number)[];
  /** Those that still stand in line by it. */
  left: number;
}

/**
 * Recent items whose delay is over: one row for all of a commit says so, and their own rows stay as they are. It counts
 * while an item's own row still says that it is scheduled and it is not leased, and goes with the last such item.
 */
export class FiredRows {
  readonly #byItem = new Map<string, Row>();
  readonly #emptied = new Set<Row>();
  #open: Row | undefined;

  add({ id, tag, order }: Item): void {
    this.#open ??= { number: order, items: [], left: 0 };
    this.#open.items.push(id, tag, order);
    this.#open.left++;
    this.#byItem.set(id, this.#open);
  }

  has(id: string): boolean {
    return this.#byItem.has(id);
  }

  remove(id: string): void {
    const row = takeFrom(this.#byItem, id);
    if (row === undefined) return;
    if (--row.left === 0) this.#emptied.add(row);
  }

  /** At the end of a commit: writes what it changed. */
  write(rows: RowWriter): void {
    if (this.#open && this.#open.left > 0)
      rows.put("fired", [this.#open.number], [rows.now, ...this.#open.items]);
    for (const row of this.#emptied) if (row !== this.#open) rows.delete("fired", [row.number]);
    this.#emptied.clear();
    this.#open = undefined;
  }

  /** The items of stored rows as they are in line. `scheduled`: the one of an id whose own row still says that it is. */
  restore(
    stored: readonly StoredRow<FiredRow, readonly [number]>[],
    scheduled: (id: string) => Item | undefined,
  ): Item[] {
    const fired: Item[] = [];
    for (const { key, value } of stored) {
      const row: Row = { number: key[0], items: [], left: 0 };
      for (const item of firedItems(value, scheduled)) {
        this.#byItem.set(item.id, row);
        row.left++;
        fired.push(item);
      }
    }
    return fired;
  }
}

export function firedItems(
  [readyAt, ...items]: FiredRow,
  scheduled: (id: string) => Item | undefined,
): Item[] {
  const fired: Item[] = [];
  for (let i = 0; i < items.length; i += 3) {
    const item = scheduled(items[i] as string);
    if (item) fired.push(readyItem(item, readyAt, items[i + 1] as number, items[i + 2] as number));
  }
  return fired;
}

/** A recent item whose delay is over, in the line of its class. */
export function readyItem(item: Item, readyAt: number, tag: number, order: number): Item {
  const ready = copyItem(item);
  ready.state = "ready";
  ready.readyAt = readyAt;
  ready.tag = tag;
  ready.order = order;
  ready.list = classList(item.classNo);
  ready.recent = true;
  ready.heldBy = "";
  ready.updatedAt = readyAt;
  ready.version++;
  return ready;
}
