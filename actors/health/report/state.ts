import { limits } from "#base";
import type { OperationalHealthReport } from "#protos";
import { isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { applying } from "../../kit/table.ts";

/** The report of a slot: one for all callers. */
export interface SlotReport {
  readonly slot: number;
  readonly report: OperationalHealthReport;
}

export interface State {
  readonly tenant: string;
  /** By environment, then by period in milliseconds. */
  readonly reports: Map<string, Map<number, SlotReport>>;
}

export interface ReportKey {
  readonly environment: string;
  readonly periodMs: number;
}

export type Event = (ReportKey & SlotReport & { readonly type: "offered" }) | { readonly type: "purged" };

export const reportRows = rowsOf<SlotReport, readonly [environment: string, periodMs: number]>("reports");

export function empty({ tenant }: { readonly tenant: string }): State {
  return { tenant, reports: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (!isRowOf(row, reportRows)) return;
  const [environment, periodMs] = row.key;
  periodsOf(state, environment).set(periodMs, row.value);
}

export const apply = applying<State, Event>({
  offered(state, { environment, periodMs, slot, report }, rows) {
    const periods = periodsOf(state, environment);
    periods.set(periodMs, { slot, report });
    rows.put(reportRows, [environment, periodMs], { slot, report });
    if (periods.size > limits.healthPeriodsMax) dropOldest(environment, periods, rows);
  },
  purged(state, _event, rows) {
    state.reports.clear();
    rows.deletePrefix(reportRows, []);
  },
});

function periodsOf({ reports }: State, environment: string): Map<number, SlotReport> {
  const found = reports.get(environment) ?? new Map<number, SlotReport>();
  reports.set(environment, found);
  return found;
}

function dropOldest(environment: string, periods: Map<number, SlotReport>, rows: RowWriter): void {
  const [[oldest]] = [...periods].sort(([a, { slot }], [b, { slot: other }]) => slot - other || a - b) as [
    [number, SlotReport],
  ];
  periods.delete(oldest);
  rows.delete(reportRows, [environment, oldest]);
}
