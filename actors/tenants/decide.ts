import { isDeepStrictEqual } from "node:util";
import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Address, Context, Decided, Decision, Need } from "#runtime";
import { applyMask } from "../kit/mask.ts";
import type { FoundTenant, TenantChanges } from "../kit/tenant.ts";
import { checkVersion } from "../kit/version.ts";
import { type ListRequest, listTenants } from "./list.ts";
import {
  fixedTenants,
  newTenant,
  noTenant,
  type Snapshot,
  snapshotResource,
  type TenantRecord,
  tenantFacts,
  tenantResource,
  updatedFields,
} from "./record.ts";
import type { Event, State } from "./state.ts";

export type Message = Readonly<Record<string, unknown>>;

/** `deleted` ones are told to operators only: to everybody else they are gone. */
export type Command =
  | { readonly type: "create"; readonly given: Message }
  | { readonly type: "get"; readonly id: string; readonly deletedToo: boolean }
  | { readonly type: "list"; readonly request: ListRequest }
  | { readonly type: "update"; readonly id: string; readonly given: Message }
  | { readonly type: "delete"; readonly id: string; readonly version?: number }
  | { readonly type: "put_entitlements"; readonly id: string; readonly snapshot: Snapshot }
  | { readonly type: "get_entitlements"; readonly id: string }
  | { readonly type: "find"; readonly id: string }
  | { readonly type: "changes"; readonly since: number }
  | { readonly type: "purge"; readonly roots: readonly Address[] };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  if (state.change === 0) return opened(context);
  switch (command.type) {
    case "create": {
      const tenant = newTenant(context.newId(), context.now, command.given as Partial<TenantRecord>);
      const change = state.change + 1;
      return { events: [{ type: "created", tenant: { ...tenant, change } }], answer: tenantResource(tenant) };
    }
    case "list":
      return listTenants(state, command.request, context);
    case "changes":
      return changes(state, command.since, context);
    case "find":
      return find(state, command.id, context);
    case "purge":
      return { events: [{ type: "purged", roots: command.roots }] };
    case "get":
    case "update":
    case "delete":
    case "put_entitlements":
    case "get_entitlements":
      return withTenant(command, context, (tenant) => ofTenant(state, tenant, command, context));
  }
}

/** The first command of an installation stores the fixed tenants, and runs again at once. */
function opened(context: Context): Decision<Event> {
  const tenants = Object.keys(fixedTenants)
    .sort()
    .map((id, index) => ({ ...newTenant(id, context.now, {}), change: index + 1 }));
  const event: Event = { type: "opened", seal: context.secret(limits.secretBytes), tenants };
  return { events: [event], park: { untilMs: context.now + limits.requestTimeoutMs } };
}

type OfTenant = Extract<Command, { id: string }>;

function withTenant(
  command: OfTenant,
  context: Context,
  then: (tenant: TenantRecord) => Decision<Event>,
): Decision<Event> {
  const ref = { collection: "tenants", key: [command.id] };
  const tenant = context.row(ref) as TenantRecord | null | undefined;
  if (tenant === undefined) return { need: [ref] };
  return tenant === null ? noTenant() : then(tenant);
}

function ofTenant(state: State, tenant: TenantRecord, command: OfTenant, context: Context): Decision<Event> {
  switch (command.type) {
    case "get":
      if (tenant.status === "deleted" && !command.deletedToo) return noTenant();
      return { events: [], answer: tenantResource(tenant) };
    case "update":
      return update(state, tenant, command.given, context.now);
    case "delete":
      return remove(state, tenant, command.version, context.now);
    case "put_entitlements":
      return entitle(state, tenant, command.snapshot, context);
    case "get_entitlements": {
      const snapshot = snapshotOf(tenant.id, context);
      if (snapshot === undefined) return need(tenant.id);
      if (snapshot === null) return refuse("NOT_FOUND", "this tenant has no entitlements");
      return { events: [], answer: snapshotResource(tenant.id, snapshot) };
    }
    case "find":
      return find(state, command.id, context);
  }
}

function update(state: State, tenant: TenantRecord, given: Message, now: number): Decision<Event> {
  const conflict = checkVersion(tenant.recordVersion, given.record_version as number | undefined);
  if (conflict) return conflict;
  if (tenant.status === "deleted")
    return refuse("FAILED_PRECONDITION", "the tenant is deleted", { reason: "TENANT_DELETED" });
  const stored = Object.fromEntries(
    updatedFields.map((field) => [field, tenant[field as keyof TenantRecord]]),
  );
  const changed = applyMask(stored, given, given.update_mask as string[] | undefined, updatedFields);
  if (isRefusal(changed)) return changed;
  if (typeof changed.name !== "string") return required("name");
  const fresh = newTenant(tenant.id, tenant.createdAt, changed as Partial<TenantRecord>);
  const status = (changed.status as TenantRecord["status"] | undefined) ?? "active";
  if (status !== "active" && tenant.id in fixedTenants) return fixed(tenant);
  return change(state, tenant, { ...fresh, status, recordVersion: tenant.recordVersion }, now);
}

function remove(
  state: State,
  tenant: TenantRecord,
  version: number | undefined,
  now: number,
): Decision<Event> {
  if (tenant.id in fixedTenants) return fixed(tenant);
  if (tenant.status === "deleted") return noTenant();
  const conflict = checkVersion(tenant.recordVersion, version);
  if (conflict) return conflict;
  const { events } = change(state, tenant, { ...tenant, status: "deleted" }, now);
  return { events, answer: { id: tenant.id, deleted: true } };
}

function change(state: State, before: TenantRecord, next: TenantRecord, now: number): Decided<Event> {
  const same = { updatedAt: before.updatedAt, change: before.change };
  if (isDeepStrictEqual({ ...next, ...same }, before)) return { events: [], answer: tenantResource(before) };
  const recordVersion = before.recordVersion + 1;
  const tenant = { ...next, updatedAt: now, recordVersion, change: state.change + 1 };
  return { events: [{ type: "updated", before, tenant }], answer: tenantResource(tenant) };
}

function entitle(state: State, tenant: TenantRecord, snapshot: Snapshot, context: Context): Decision<Event> {
  const stored = snapshotOf(tenant.id, context);
  if (stored === undefined) return need(tenant.id);
  if (stored !== null && snapshot.version < stored.version)
    return refuse("VERSION_CONFLICT", `version is ${stored.version}, and ${snapshot.version} is older`, {
      extra: { version: stored.version },
    });
  const changed = { ...tenant, change: state.change + 1 };
  return {
    events: [{ type: "entitled", before: tenant, tenant: changed, snapshot }],
    answer: snapshotResource(tenant.id, snapshot),
  };
}

/** For the threads: no refusal, because that there is no such tenant is what they want to know. */
function find(state: State, id: string, context: Context): Decided<Event> | Need {
  const tenant = context.row({ collection: "tenants", key: [id] }) as TenantRecord | null | undefined;
  const snapshot = snapshotOf(id, context);
  if (tenant === undefined || snapshot === undefined)
    return { need: [{ collection: "tenants", key: [id] }, ...need(id).need] };
  const answer: FoundTenant = {
    head: state.change,
    ...(tenant !== null && { tenant: tenantFacts(tenant, snapshot) }),
  };
  return { events: [], answer };
}

function changes(state: State, since: number, context: Context): Decided<Event> | Need {
  const range = { collection: "changes", from: [since + 1], limit: limits.tenantChangesMax };
  if (since >= state.change) return { events: [], answer: { ids: [], head: state.change } };
  const rows = context.range(range);
  if (rows === undefined) return { need: [range] };
  const head = rows.length < range.limit ? state.change : (rows.at(-1)!.key[0] as number);
  const answer: TenantChanges = { ids: rows.map(({ value }) => value as string), head };
  return { events: [], answer };
}

function snapshotOf(id: string, context: Context): Snapshot | null | undefined {
  return context.row({ collection: "entitlements", key: [id] }) as Snapshot | null | undefined;
}

function need(id: string): Need {
  return { need: [{ collection: "entitlements", key: [id] }] };
}

function fixed(tenant: TenantRecord): Refusal {
  return refuse(
    "FAILED_PRECONDITION",
    `the tenant ${fixedTenants[tenant.id]} is part of every installation`,
    {
      reason: "FIXED_TENANT",
    },
  );
}

function required(field: string): Refusal {
  return refuse("INVALID_ARGUMENT", `${field} is required`, { fields: [{ field, reason: "is required" }] });
}
