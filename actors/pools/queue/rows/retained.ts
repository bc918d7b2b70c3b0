import { rowsOf } from "#runtime";

/** A request that was merged into another item, or skipped for it: dedup key, that item, and an order that is all its own. */
export interface Remembered {
  readonly key: string;
  readonly id: string;
  readonly order: number;
}

/**
 * Finished items that are forgotten together: id, which rows there are of it, and dedup id of one after the other. Among
 * them requests that were answered with another item: dedup key, `remembered` and the item's id.
 */
export interface RetainRow {
  readonly at: number;
  readonly order: number;
  readonly items: (string | number)[];
}

export const retainRows = rowsOf<
  RetainRow["items"],
  readonly [at: number, order: number, first: string | number]
>("retain");

export interface Recalled {
  /** Dedup keys whose items cannot be read any more. */
  readonly over: readonly string[];
  /** Those whose items live on: looked at again later. */
  readonly kept: readonly Remembered[];
}

export interface Forgotten {
  readonly type: "forgotten";
  readonly rows: readonly RetainRow[];
  readonly recalled?: Recalled;
  readonly retentionMs?: number;
  readonly nextAt: number;
}
