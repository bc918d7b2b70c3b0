import { limits } from "#base";
import { type Address, isRowOf, type RowWriter, rowsOf, type StoredRow } from "#runtime";
import { type TenantChange, type TenantPurge, tenantChangedTopic } from "../kit/tenant.ts";
import type { Snapshot, TenantRecord } from "./record.ts";

export interface State {
  /** The number of the last change of any tenant; 0: not even the fixed tenants have been stored. */
  change: number;
  /** Tenants by status. */
  readonly counts: Map<string, number>;
}

export type Event =
  | { readonly type: "purged"; readonly roots: readonly Address[] }
  | { readonly type: "opened"; readonly tenants: readonly TenantRecord[] }
  | { readonly type: "created"; readonly tenant: TenantRecord }
  | { readonly type: "updated"; readonly before: TenantRecord; readonly tenant: TenantRecord }
  | {
      readonly type: "entitled";
      readonly before: TenantRecord;
      readonly tenant: TenantRecord;
      readonly snapshot: Snapshot;
    };

export const tenantRows = rowsOf<TenantRecord>("tenants");
export const statusRows = rowsOf<TenantRecord, readonly [status: string, id: string]>("by_status");
/** A tenant stands here once, with its last change. */
export const changeRows = rowsOf<string, readonly [number]>("changes");
export const entitlementRows = rowsOf<Snapshot>("entitlements");
export const headRows = rowsOf<number, readonly []>("head");
export const countRows = rowsOf<number>("counts");

export function empty(): State {
  return { change: 0, counts: new Map() };
}

export function restore(state: State, row: StoredRow): void {
  if (isRowOf(row, headRows)) state.change = row.value;
  else if (isRowOf(row, countRows)) state.counts.set(row.key[0], row.value);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "opened":
      for (const tenant of event.tenants) add(state, tenant, rows);
      break;
    case "created":
      add(state, event.tenant, rows);
      rows.publish("tenant.created", event.tenant.id, { name: event.tenant.name });
      break;
    case "updated":
      replace(state, event.before, event.tenant, rows);
      publishUpdate(event.tenant, rows);
      if (event.tenant.status !== "deleted") break;
      rows.delete(entitlementRows, [event.tenant.id]);
      rows.setTimer(event.tenant.id, rows.now + limits.tenantPurgeAfterMs);
      break;
    case "purged": {
      const purge: TenantPurge = { type: "purge" };
      for (const root of event.roots) rows.send(root, purge);
      return;
    }
    case "entitled":
      replace(state, event.before, event.tenant, rows);
      rows.put(entitlementRows, [event.tenant.id], event.snapshot);
      break;
  }
  rows.put(headRows, [], state.change);
}

function publishUpdate({ id, status, recordVersion: record_version }: TenantRecord, rows: RowWriter): void {
  rows.publish(status === "deleted" ? "tenant.deleted" : "tenant.updated", id, { status, record_version });
}

function add(state: State, tenant: TenantRecord, rows: RowWriter): void {
  state.change = tenant.change;
  rows.put(tenantRows, [tenant.id], tenant);
  rows.put(statusRows, [tenant.status, tenant.id], tenant);
  rows.put(changeRows, [tenant.change], tenant.id);
  count(state, tenant.status, 1, rows);
  const changed: TenantChange = { id: tenant.id };
  rows.broadcast(tenantChangedTopic, changed);
}

function replace(state: State, before: TenantRecord, tenant: TenantRecord, rows: RowWriter): void {
  rows.delete(statusRows, [before.status, before.id]);
  rows.delete(changeRows, [before.change]);
  count(state, before.status, -1, rows);
  add(state, tenant, rows);
}

function count(state: State, status: string, more: 1 | -1, rows: RowWriter): void {
  const number = (state.counts.get(status) ?? 0) + more;
  state.counts.set(status, number);
  rows.put(countRows, [status], number);
}
