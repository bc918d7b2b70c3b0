import type { Address, RowWriter, StoredRow } from "#runtime";
import { Collection, type Counts } from "../kit/old-collection.ts";
import type { Report } from "./report.ts";

export const reports = new Collection<Report>({
  filters: ["environment"],
  order: "descending",
  unique: { digests: ({ environment, reportId }) => `${environment} ${reportId}` },
});

/** A run that is under way on one node. */
export interface Active {
  readonly runId: string;
  readonly node: string;
  readonly untilMs: number;
  readonly environment: string;
}

export interface State {
  readonly tenant: string;
  secret: string;
  readonly counts: Counts;
  /** By node. */
  readonly active: Map<string, Active>;
}

export type Event =
  | { readonly type: "began"; readonly active: Active; readonly sandbox: boolean }
  | { readonly type: "ended"; readonly active: Active; readonly sandbox: boolean }
  | { readonly type: "reported"; readonly report: Report; readonly removed: readonly Report[] }
  | { readonly type: "secret_drawn"; readonly secret: string }
  | { readonly type: "purged" };

export function conformanceOf(tenant: string): Address {
  return { kind: "conformance", tenant, key: "" };
}

export const purgeEffect = "conformance_sandbox";
export const resident = ["secret", "active", reports.countsName];

export function empty({ tenant }: Address): State {
  return { tenant, secret: "", counts: new Map(), active: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (reports.restore(state.counts, row)) return;
  if (row.collection === "secret") state.secret = row.value as string;
  else if (row.collection === "active") state.active.set(row.key[0] as string, row.value as Active);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "began": {
      const { active, sandbox } = event;
      state.active.set(active.node, active);
      rows.put("active", [active.node], active);
      if (sandbox) askToPurge(active, active.untilMs, rows);
      return;
    }
    case "ended": {
      const { active, sandbox } = event;
      state.active.delete(active.node);
      rows.delete("active", [active.node]);
      if (sandbox) askToPurge(active, rows.now, rows);
      return;
    }
    case "reported": {
      const { report, removed } = event;
      for (const old of removed) reports.remove(state.counts, old, rows);
      reports.put(state.counts, null, report, rows);
      const { reportId: digest, environment, suiteId: suite_id, verdict } = report;
      rows.publish("conformance.reported", report.id, { environment, digest, suite_id, verdict });
      return;
    }
    case "secret_drawn":
      state.secret = event.secret;
      rows.put("secret", [], event.secret);
      return;
    case "purged":
      reports.clear(state.counts, rows);
      rows.deletePrefix("active", []);
      rows.delete("secret", []);
      state.active.clear();
      state.secret = "";
      return;
  }
}

/** Its sandbox tenant goes when the run has ended, and in any case when its time is over: the effect outlives a crash of the run. */
function askToPurge({ runId, environment }: Active, dueMs: number, rows: RowWriter): void {
  rows.effect(runId, { kind: purgeEffect, dueMs, body: { runId, environment } });
}
