import { isRowOf, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../kit/table.ts";

export interface State {
  /** By operation; what is of an earlier day counts no more. */
  readonly used: Map<string, Used>;
  /** The newest day that requests were kept of. */
  refsDay: number;
}

interface Used {
  readonly day: number;
  readonly amount: number;
}

/** A request that was charged. */
export interface Charge {
  readonly operation: string;
  readonly amount: number;
  readonly atMs: number;
}

export type Event =
  | { readonly type: "used"; readonly operation: string; readonly used: Used }
  | { readonly type: "charged"; readonly ref: string; readonly day: number; readonly charge: Charge }
  | { readonly type: "forgotten"; readonly ref: string; readonly day: number }
  | { readonly type: "swept"; readonly beforeDay: number }
  | { readonly type: "purged" };

export const usedRows = rowsOf<Used>("used");
export const chargeRows = rowsOf<Charge, readonly [day: number, ref: string]>("refs");
export const dayRows = rowsOf<number, readonly []>("refs_day");

export const dayMs = 86_400_000;

/** The UTC day of a time. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

export function empty(): State {
  return { used: new Map(), refsDay: 0 };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, usedRows)) state.used.set(row.key[0], row.value);
  else if (isRowOf(row, dayRows)) state.refsDay = row.value;
}

export const apply = applying<State, Event>({
  used(state, { operation, used }, rows) {
    state.used.set(operation, used);
    rows.put(usedRows, [operation], used);
  },
  charged(state, { day, ref, charge }, rows) {
    rows.put(chargeRows, [day, ref], charge);
    if (state.refsDay === day) return;
    state.refsDay = day;
    rows.put(dayRows, [], day);
    // A request may be repeated for a day after it was charged.
    rows.setTimer("sweep", (day + 2) * dayMs);
  },
  forgotten: (_state, { day, ref }, rows) => rows.delete(chargeRows, [day, ref]),
  swept: (_state, { beforeDay }, rows) => rows.deleteRange(chargeRows, [0], [beforeDay]),
  purged(state, _event, rows) {
    for (const collection of [usedRows, chargeRows, dayRows]) rows.deletePrefix(collection, []);
    rows.clearTimer("sweep");
    state.used.clear();
    state.refsDay = 0;
  },
});
