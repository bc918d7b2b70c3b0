/** Something a time brings: an item becomes ready, an item expires, a throttled group may go on. */
export interface Due {
  readonly at: number;
  readonly sort: DueSort;
  readonly id: string;
}

export const dueSorts = ["ready", "expire", "throttle", "unstick", "key"] as const;
export type DueSort = (typeof dueSorts)[number];

export function byDue(a: Due, b: Due): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.sort !== b.sort) return dueSorts.indexOf(a.sort) - dueSorts.indexOf(b.sort);
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export function dueKey(due: Due): [number, number, string] {
  return [due.at, dueSorts.indexOf(due.sort), due.id];
}
