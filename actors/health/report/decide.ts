import { limits } from "#base";
import type { OperationalHealthReport } from "#protos";
import { deciding } from "../../kit/table.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import type { Event, ReportKey, SlotReport, State } from "./state.ts";

export type Command =
  | (ReportKey & { readonly type: "current" })
  | (ReportKey & SlotReport & { readonly type: "offer" })
  | TenantPurge;

/** The report of the present slot, or the slot that one is to be offered for. */
export interface Current {
  readonly slot: number;
  readonly now: number;
  readonly report?: OperationalHealthReport;
}

export const decide = deciding<State, Command, Event>({
  current(state, { environment, periodMs }, { now }) {
    const slot = Math.floor(now / limits.healthSlotMs);
    const kept = state.reports.get(environment)?.get(periodMs);
    const answer: Current = { slot, now, ...(kept?.slot === slot && { report: kept.report }) };
    return { events: [], answer };
  },
  /** The first offer of a slot is its report; one that comes when a later slot has its own is answered with that. */
  offer(state, { environment, periodMs, slot, report }) {
    const kept = state.reports.get(environment)?.get(periodMs);
    if (kept !== undefined && kept.slot >= slot) return { events: [], answer: { report: kept.report } };
    return { events: [{ type: "offered", environment, periodMs, slot, report }], answer: { report } };
  },
  purge: () => ({ events: [{ type: "purged" }], frees: true }),
});
