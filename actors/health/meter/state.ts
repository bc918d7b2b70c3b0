import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import type { QueueTold } from "../../kit/meter.ts";
import { applying } from "../../kit/table.ts";

/** The last that a queue has told. */
export interface Heard extends Omit<QueueTold, "type"> {
  /** By the meter's clock. */
  readonly heardAt: number;
}

export interface State {
  readonly tenant: string;
  /** By the handle of the pool. */
  readonly heard: Map<string, Heard>;
}

export type Event =
  | { readonly type: "heard"; readonly handle: string; readonly heard: Heard }
  | { readonly type: "gone"; readonly handle: string }
  | { readonly type: "purged" };

export const heardRows = rowsOf<Heard>("heard");

export function empty({ tenant }: { readonly tenant: string }): State {
  return { tenant, heard: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, heardRows)) state.heard.set(row.key[0], row.value);
}

/** A few hundred bytes for each pool. */
export function bytesOf({ heard }: State): number {
  return heard.size * 800;
}

export const apply = applying<State, Event>({
  heard(state, { handle, heard }, rows: RowWriter) {
    state.heard.set(handle, heard);
    rows.put(heardRows, [handle], heard);
  },
  gone(state, { handle }, rows) {
    state.heard.delete(handle);
    rows.delete(heardRows, [handle]);
  },
  purged(state, _event, rows) {
    state.heard.clear();
    rows.deletePrefix(heardRows, []);
  },
});
