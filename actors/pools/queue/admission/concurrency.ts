import type { PoolConfig } from "../../pool-config.ts";
import { nameOfGroup } from "../rows/group.ts";
import type { Item } from "../rows/item.ts";
import type { UnitOfWork } from "../unit/unit-of-work.ts";

/** The name of the first group without room for this item; empty: there is room everywhere. */
export function fullGroup(unit: UnitOfWork, item: Item): string {
  for (const { id, control, cost } of item.groups.concurrency)
    if (unit.groups.inUse(id) + cost > Math.max(limitOf(unit.router.config, control), cost))
      return nameOfGroup("concurrency", id);
  return "";
}

/** Slots of the group; a control that was taken out of the configuration holds no item back. */
export function limitOf({ admission }: PoolConfig, number: number): number {
  const controls = admission?.concurrency ?? [];
  for (let place = 0; place < controls.length; place++) {
    const { no = place, limit } = controls[place]!;
    if (no === number) return limit;
  }
  return Number.MAX_SAFE_INTEGER;
}
