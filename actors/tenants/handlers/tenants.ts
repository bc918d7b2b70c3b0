import {
  type FieldError,
  invalid,
  limits,
  quotedPart,
  RefusalError,
  refusalError,
  shortened,
  systemTenantId,
} from "#base";
import type { PutEntitlementsRequest, Tenant, UpdateTenantRequest } from "#protos";
import { ask, type Method } from "../../kit/ask.ts";
import { givenMembers } from "../../kit/mask.ts";
import { getQuota, quotaWindow } from "../../kit/quota.ts";
import { tenantsAddress } from "../../kit/tenants.ts";
import type { CallContext, Handlers } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import {
  createTenant,
  deleteTenant,
  getEntitlements,
  getTenant,
  listTenants,
  putEntitlements,
  updateTenant,
} from "../methods.ts";
import { noTenant, ownFields, type Snapshot, updatedFields } from "../record.ts";

export type TenantParts = Pick<ModuleParts, "quotaOperations" | "tenantValueProblem">;

/** The methods of the contract: who may ask what of the one entity that has all tenants. */
export function tenantMethods(parts: TenantParts): Handlers {
  const { quotaOperations, tenantValueProblem } = parts;
  return {
    async "TenantService.CreateTenant"(request, call) {
      checkQuotas(request);
      checkSettings(request);
      return askTenants(createTenant, request, call);
    },

    "TenantService.GetTenant": ({ tenant_id }, call) => tenantOf(tenant_id, call),

    async "TenantService.ListTenants"(request, call) {
      if (isOperator(call)) return askTenants(listTenants, request, call);
      const { status } = request;
      const own = await tenantOf(call.caller.tenant, call);
      const tenants = status === undefined || status === own.status ? [own] : [];
      return { tenants, next_page_token: "", total: tenants.length };
    },

    async "TenantService.UpdateTenant"(given, call) {
      visible(given.tenant_id, call);
      if (!isOperator(call)) checkOwnFields(given);
      checkQuotas(given);
      checkSettings(given);
      return askTenants(updateTenant, given, call);
    },

    "TenantService.DeleteTenant": (request, call) => askTenants(deleteTenant, request, call),

    async "TenantService.GetQuota"({ tenant_id, operation }, call) {
      const tenant = await tenantOf(tenant_id, call);
      if (!quotaOperations().has(operation))
        throw refusalError("NOT_FOUND", `there is no operation ${operation}`);
      const asking = { ...call, caller: { ...call.caller, tenant: tenant_id } };
      const question = { key: quotaWindow, request: { operation } };
      const { used, resets_at } = await ask(asking, getQuota, question);
      const limit = tenant.quotas[operation];
      const left = limit === undefined ? {} : { limit, remaining: Math.max(0, limit - used) };
      return { operation, ...left, used, window: quotaWindow, resets_at };
    },

    async "TenantService.PutEntitlements"(request, call) {
      const { tenant_id } = request;
      visible(tenant_id, call);
      const snapshot = snapshotOf(request, call.clock.now());
      return askTenants(putEntitlements, { tenant_id, snapshot }, call);
    },

    async "TenantService.GetEntitlements"(request, call) {
      visible(request.tenant_id, call);
      return askTenants(getEntitlements, request, call);
    },
  };

  function checkQuotas({ quotas = {} }: Changed): void {
    for (const operation of Object.keys(quotas))
      if (!quotaOperations().has(operation))
        throw new RefusalError(
          invalid({
            field: `quotas.${operation}`,
            reason: `is not an operation; those are ${[...quotaOperations()].join(", ")}`,
          }),
        );
  }

  function checkSettings(given: Changed): void {
    const fields: FieldError[] = [];
    for (const [name, value] of givenMembers("settings", given.update_mask, given.settings)) {
      const reason = tenantValueProblem(name, value);
      if (reason === undefined) continue;
      fields.push({ field: shortened(`settings.${quotedPart(name)}`, limits.fieldPathLengthMax), reason });
      if (fields.length === limits.fieldErrorsMax) break;
    }
    if (fields.length > 0) throw new RefusalError(invalid(...fields));
  }
}

/** What a create and an update have in common. */
type Changed = Partial<UpdateTenantRequest>;

/** Principals of `system`, and those without a tenant. */
function isOperator({ may }: CallContext): boolean {
  return may("tenant:admin");
}

async function tenantOf(id: string, call: CallContext): Promise<Tenant> {
  visible(id, call);
  return askTenants(getTenant, { tenant_id: id, deletedToo: isOperator(call) }, call);
}

/** Another tenant's id is as unknown as one that was never given out. */
function visible(id: string, call: CallContext): void {
  if (id !== call.caller.tenant && !isOperator(call)) throw new RefusalError(noTenant());
}

function askTenants<Request, Response>(
  method: Method<Request, Response>,
  request: Request,
  call: CallContext,
): Promise<Response> {
  const asking = { ...call, caller: { ...call.caller, tenant: systemTenantId } };
  return ask(asking, method, { ...tenantsAddress, request, step: "" });
}

function checkOwnFields(given: UpdateTenantRequest): void {
  const { update_mask: mask } = given;
  const named: readonly string[] = mask?.length
    ? mask.map((path) => path.split(".")[0]!)
    : updatedFields.filter((field) => !isUnset(given[field]));
  const foreign = named.filter(
    (field) => updatedFields.some((name) => name === field) && !ownFields.includes(field),
  );
  if (foreign.length === 0) return;
  const detail = `${foreign.join(", ")} of a tenant can be changed by the operator of the installation only`;
  throw refusalError("PERMISSION_DENIED", detail);
}

function isUnset(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function snapshotOf(request: PutEntitlementsRequest, now: number): Snapshot {
  const { version, issued_at, fresh_until, items } = request;
  const effects = new Map<string, string>();
  for (const { item, effect } of items ?? []) {
    const other = effects.get(item);
    if (other !== undefined && other !== effect)
      throw new RefusalError(invalid({ field: "items", reason: `both allow and deny ${item}` }));
    effects.set(item, effect);
  }
  const issuedAt = issued_at === undefined ? now : Date.parse(issued_at);
  return { version, issuedAt, freshUntil: Date.parse(fresh_until), items: items ?? [] };
}
