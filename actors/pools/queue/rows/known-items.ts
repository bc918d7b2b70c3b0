import type { Item } from "./item.ts";

/** The items in memory: their rows need not be read. */
export interface KnownItems {
  readonly leases: { get(id: string): Item | undefined };
  readonly recent: { find(id: string): Item | undefined };
}
