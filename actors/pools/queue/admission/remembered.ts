import { isRemembered } from "../rows/retain-code.ts";
import type { Recalled, Remembered, RetainRow } from "../rows/retained.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/**
 * The item that a request with this dedup id was answered with: its own, or the one it was merged into or skipped for. `null`
 * where there is none that can be read, `undefined` where rows have to be read.
 */
export function rememberedItem(unit: UnitOfWork, dedupId: string): string | null | undefined {
  const id = unit.dedup(dedupId);
  if (!id) return id;
  const item = unit.item(id);
  return item ? id : item;
}

/**
 * Of rows whose time is over: what they say of merged and skipped requests. Their items have ends of their own, which no row
 * knew when the row was written. A key that was given to another item meanwhile is that item's.
 */
export function recall(unit: UnitOfWork, retained: readonly RetainRow[]): Recalled {
  const over: string[] = [];
  const kept: Remembered[] = [];
  for (const { order, items } of retained)
    for (let i = 0; i < items.length; i += 3) {
      if (!isRemembered(items[i + 1] as number)) continue;
      const [key, id] = [items[i] as string, items[i + 2] as string];
      if (unit.state.dedups.get(key, unit.context) !== id) continue;
      if (unit.item(id)) kept.push({ key, id, order });
      else over.push(key);
    }
  return { over, kept };
}
