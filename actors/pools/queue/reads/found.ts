import { limits } from "#base";

/** What one look at the rows of a list brought, in order. */
export interface Found<Entry> {
  readonly entries: readonly Entry[];
  /** How far it looked; empty: to the end. */
  readonly end: string;
}

/** Rows one look asks of a collection: as many as are wanted, or enough for a filter to find some. */
export function lookOf(wanted: number, filtered: boolean): number {
  return filtered ? Math.max(wanted, limits.queueListLook) : wanted;
}
