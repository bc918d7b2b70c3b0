import type { Draft } from "../draft/draft.ts";
import { holdOf } from "../rows/group.ts";
import type { Item } from "../rows/item.ts";

/** The first group without room for this item, as a hold; empty: there is room everywhere. */
export function fullGroup(draft: Draft, item: Item): string {
  for (const { id, index, cost } of item.groups.concurrency)
    if (draft.groups.inUse(id) + cost > Math.max(limitOf(draft, index), cost))
      return holdOf("concurrency", id);
  return "";
}

/** Slots of the group; a control that was taken out of the configuration holds nobody back. */
export function limitOf(draft: Draft, index: number): number {
  return draft.router.config.admission?.concurrency[index]?.limit ?? Number.MAX_SAFE_INTEGER;
}
