import { limits } from "#base";
import type { Address, RowWriter, StoredRow } from "#runtime";
import { type TenantChange, type TenantPurge, tenantChangedTopic } from "../kit/tenant.ts";
import type { Snapshot, TenantRecord } from "./record.ts";

export interface State {
  /** The number of the last change of any tenant; 0: not even the fixed tenants have been stored. */
  change: number;
  /** Seals cursors. */
  seal: string;
  /** Tenants by status. */
  readonly counts: Map<string, number>;
}

export type Event =
  | { readonly type: "purged"; readonly roots: readonly Address[] }
  | { readonly type: "opened"; readonly seal: string; readonly tenants: readonly TenantRecord[] }
  | { readonly type: "created"; readonly tenant: TenantRecord }
  | { readonly type: "updated"; readonly before: TenantRecord; readonly tenant: TenantRecord }
  | {
      readonly type: "entitled";
      readonly before: TenantRecord;
      readonly tenant: TenantRecord;
      readonly snapshot: Snapshot;
    };

interface HeadRow {
  readonly change: number;
  readonly seal: string;
}

export function empty(): State {
  return { change: 0, seal: "", counts: new Map() };
}

export function restore(state: State, { collection, key, value }: StoredRow): void {
  if (collection === "head") Object.assign(state, value as HeadRow);
  else if (collection === "counts") state.counts.set(key[0] as string, value as number);
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "opened":
      state.seal = event.seal;
      for (const tenant of event.tenants) add(state, tenant, rows);
      break;
    case "created":
      add(state, event.tenant, rows);
      rows.publish("tenant.created", event.tenant.id, { name: event.tenant.name });
      break;
    case "updated":
      replace(state, event.before, event.tenant, rows);
      tellUpdated(event.tenant, rows);
      if (event.tenant.status !== "deleted") break;
      rows.delete("entitlements", [event.tenant.id]);
      rows.setTimer(event.tenant.id, rows.now + limits.tenantPurgeAfterMs);
      break;
    case "purged": {
      const purge: TenantPurge = { type: "purge" };
      for (const root of event.roots) rows.send(root, purge);
      break;
    }
    case "entitled":
      replace(state, event.before, event.tenant, rows);
      rows.put("entitlements", [event.tenant.id], event.snapshot);
      break;
  }
  if (event.type === "purged") return;
  const head: HeadRow = { change: state.change, seal: state.seal };
  rows.put("head", [], head);
}

function tellUpdated({ id, status, recordVersion: record_version }: TenantRecord, rows: RowWriter): void {
  if (status === "deleted") rows.publish("tenant.deleted", id, { status, record_version });
  else rows.publish("tenant.updated", id, { status, record_version });
}

function add(state: State, tenant: TenantRecord, rows: RowWriter): void {
  state.change = tenant.change;
  rows.put("tenants", [tenant.id], tenant);
  rows.put("by_status", [tenant.status, tenant.id], tenant);
  rows.put("changes", [tenant.change], tenant.id);
  count(state, tenant.status, 1, rows);
  const told: TenantChange = { id: tenant.id };
  rows.broadcast(tenantChangedTopic, told);
}

/** A tenant stands in `changes` once, with its last change. */
function replace(state: State, before: TenantRecord, tenant: TenantRecord, rows: RowWriter): void {
  rows.delete("by_status", [before.status, before.id]);
  rows.delete("changes", [before.change]);
  count(state, before.status, -1, rows);
  add(state, tenant, rows);
}

function count(state: State, status: string, more: 1 | -1, rows: RowWriter): void {
  const number = (state.counts.get(status) ?? 0) + more;
  state.counts.set(status, number);
  rows.put("counts", [status], number);
}
