import { type KeyOf, rowsOf } from "#runtime";
import type { Item } from "./item.ts";

/** Something a time brings: an item becomes ready, an item expires, a throttled group may go on. */
export interface Due {
  readonly at: number;
  readonly sort: DueSort;
  /** Items that become ready at one time do so in the order in which they came; 0 for everything else. */
  readonly order: number;
  readonly id: string;
}

export const dueSorts = ["ready", "expire", "throttle", "unstick", "key"] as const;
export type DueSort = (typeof dueSorts)[number];

export const dueRows = rowsOf<0, readonly [at: number, sort: number, order: number, id: string]>("due");

export function byDue(a: Due, b: Due): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.sort !== b.sort) return dueSorts.indexOf(a.sort) - dueSorts.indexOf(b.sort);
  if (a.order !== b.order) return a.order - b.order;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export function dueKey({ at, sort, order, id }: Due): [number, number, number, string] {
  return [at, dueSorts.indexOf(sort), order, id];
}

export function dueOfKey([at, sort, order, id]: KeyOf<typeof dueRows>): Due {
  return { at, sort: dueSorts[sort]!, order, id };
}

/** Anything but an item that becomes ready. */
export function dueAt(at: number, sort: Exclude<DueSort, "ready">, id: string): Due {
  return { at, sort, order: 0, id };
}

/** When an item that waits for a time becomes ready. */
export function readyDue(id: string, { notBefore, order }: Pick<Item, "notBefore" | "order">): Due {
  return { at: notBefore, sort: "ready", order, id };
}
