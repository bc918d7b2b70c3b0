import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { invalid, isRefusal, limits, type Refusal, refuse, systemTenantId } from "#base";
import type { CreateTenantRequest, ListTenantsRequest, UpdateTenantRequest } from "#protos";
import type { Address, Context, Decided, Decision } from "#runtime";
import { byId, byIdIn } from "../kit/collection.ts";
import { listed, pageOf } from "../kit/list.ts";
import { applyMask } from "../kit/mask.ts";
import type { FoundTenant, TenantChanges } from "../kit/tenant.ts";
import type { TenantSecret } from "../kit/tenants.ts";
import { checkVersion } from "../kit/version.ts";
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
import { changeRows, type Event, entitlementRows, type State, statusRows, tenantRows } from "./state.ts";

/** `deleted` ones are told to operators only: to everybody else they are gone. */
export type Command =
  | { readonly type: "create"; readonly given: CreateTenantRequest }
  | { readonly type: "list"; readonly request: ListTenantsRequest }
  | { readonly type: "find"; readonly id: string }
  | { readonly type: "secret"; readonly id: string }
  | { readonly type: "changes"; readonly since: number }
  | { readonly type: "purge"; readonly roots: readonly Address[] }
  | TenantCommand;

type TenantCommand =
  | { readonly type: "get"; readonly id: string; readonly deletedToo: boolean }
  | { readonly type: "update"; readonly id: string; readonly given: UpdateTenantRequest }
  | { readonly type: "delete"; readonly id: string; readonly version?: number }
  | { readonly type: "put_entitlements"; readonly id: string; readonly snapshot: Snapshot }
  | { readonly type: "get_entitlements"; readonly id: string };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  if (state.change === 0) return opened(context);
  switch (command.type) {
    case "create": {
      const secret = context.secret(limits.secretBytes);
      const tenant = newTenant(context.newId(), context.now, secret, command.given);
      const change = state.change + 1;
      return { events: [{ type: "created", tenant: { ...tenant, change } }], answer: tenantResource(tenant) };
    }
    case "list":
      return list(state, command.request, context);
    case "changes":
      return changes(state, command.since, context);
    case "find":
      return find(state, command.id, context);
    case "secret":
      return { events: [], answer: secretOf(command.id, context) };
    case "purge":
      return { events: [{ type: "purged", roots: command.roots }] };
    default: {
      const tenant = context.get(tenantRows, [command.id]);
      return tenant === null ? noTenant() : ofTenant(state, tenant, command, context);
    }
  }
}

/** The first command of an installation stores the fixed tenants, and runs again at once. */
function opened(context: Context): Decision<Event> {
  const tenants = Object.keys(fixedTenants)
    .sort()
    .map((id, index) => ({
      ...newTenant(id, context.now, context.secret(limits.secretBytes)),
      change: index + 1,
    }));
  return { events: [{ type: "opened", tenants }], park: { untilMs: context.now + limits.requestTimeoutMs } };
}

function ofTenant(
  state: State,
  tenant: TenantRecord,
  command: TenantCommand,
  context: Context,
): Decision<Event> {
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
      const snapshot = context.get(entitlementRows, [tenant.id]);
      if (snapshot === null) return refuse("NOT_FOUND", "this tenant has no entitlements");
      return { events: [], answer: snapshotResource(tenant.id, snapshot) };
    }
  }
}

function update(
  state: State,
  tenant: TenantRecord,
  given: UpdateTenantRequest,
  now: number,
): Decision<Event> {
  const conflict = checkVersion(tenant.recordVersion, given.record_version);
  if (conflict) return conflict;
  if (tenant.status === "deleted")
    return refuse("FAILED_PRECONDITION", "the tenant is deleted", { reason: "TENANT_DELETED" });
  const { name, status: stands, plan, quotas, limits, settings, environments } = tenant;
  const stored = { name, status: stands, plan, quotas, limits, settings, environments };
  const changed = applyMask(stored, { ...given }, given.update_mask, updatedFields);
  if (isRefusal(changed)) return changed;
  const { status = "active", ...rest } = changed;
  if (typeof rest.name !== "string") return invalid({ field: "name", reason: "is required" });
  const fresh = newTenant(tenant.id, tenant.createdAt, tenant.secret, rest);
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
  const { events } = change(state, tenant, { ...tenant, status: "deleted", secret: "" }, now);
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
  const stored = context.get(entitlementRows, [tenant.id]);
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
function find(state: State, id: string, context: Context): Decided<Event> {
  context.prefetch([
    { collection: tenantRows, key: [id] },
    { collection: entitlementRows, key: [id] },
  ]);
  const tenant = context.get(tenantRows, [id]);
  const snapshot = context.get(entitlementRows, [id]);
  const answer: FoundTenant = {
    head: state.change,
    ...(tenant !== null && { tenant: tenantFacts(tenant, snapshot) }),
  };
  return { events: [], answer };
}

/** Callers who act in no tenant that has a record get one that is derived from the secret of the system's own tenant. */
function secretOf(id: string, context: Context): TenantSecret {
  const secret = context.get(tenantRows, [id])?.secret;
  if (secret) return { secret };
  const system = context.get(tenantRows, [systemTenantId])!;
  return { secret: createHmac("sha256", system.secret).update(`tenant ${id}`).digest("base64url") };
}

function changes(state: State, since: number, context: Context): Decided<Event> {
  const limit = limits.tenantChangesMax;
  const rows = since >= state.change ? [] : context.scan(changeRows, { from: [since + 1], limit });
  const head = rows.length < limit ? state.change : rows.at(-1)!.key[0];
  const answer: TenantChanges = { ids: rows.map(({ value }) => value), head };
  return { events: [], answer };
}

/** Without a filter all but the deleted ones. */
function list(state: State, request: ListTenantsRequest, context: Context): Decision<Event> {
  const statuses = request.status === undefined ? ["active", "suspended"] : [request.status];
  const page = pageOf(
    request,
    {
      ...byIdIn<TenantRecord>(["tenants", request.status, "id"]),
      read: ({ after, limit }) => {
        const ranges = statuses.map((status) => ({
          prefix: [status],
          limit,
          ...(after && { from: [status, `${after[0]}\u0000`] }),
        }));
        context.prefetch(ranges.map((range) => ({ ...range, collection: statusRows })));
        const found = ranges.flatMap((range) => context.scan(statusRows, range).map(({ value }) => value));
        const total = statuses.reduce((sum, status) => sum + (state.counts.get(status) ?? 0), 0);
        return { values: found.sort(byId()).slice(0, limit), total };
      },
    },
    tenantResource,
  );
  return listed("tenants", page);
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
