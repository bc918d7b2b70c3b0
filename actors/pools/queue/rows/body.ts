import { limits } from "#base";
import type { RowRef } from "#runtime";
import { type Body, collectionOf, type Item } from "./item.ts";
import { bodyFromRow, bodyInRow } from "./item-row.ts";

/**
 * A small payload is stored with its item and moves with it: one row instead of two. A large one has a row of its own that
 * is written once.
 */
export function isInline(item: Pick<Item, "bytes">): boolean {
  return item.bytes <= limits.queueInlineBytesMax;
}

/** The row that has the payload of an item as it is stored now. */
export function bodyRef(item: Pick<Item, "id" | "bytes" | "state" | "quarantined">): RowRef {
  return { collection: isInline(item) ? collectionOf(item) : "body", key: [item.id] };
}

export function bodyOf(item: Pick<Item, "bytes">, row: unknown): Body | undefined {
  return isInline(item) ? bodyInRow(row) : bodyFromRow(row);
}
