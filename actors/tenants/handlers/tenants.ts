import {
  type FieldError,
  limits,
  quotedPart,
  type Refusal,
  RefusalError,
  refuse,
  shortened,
  systemTenantId,
} from "#base";
import { ask, contractMethod, type Method } from "../../kit/ask.ts";
import { givenMembers } from "../../kit/mask.ts";
import { getQuota, quotaWindow } from "../../kit/quota.ts";
import { tenantsAddress } from "../../kit/tenants.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Message } from "../decide.ts";
import {
  type EntitlementItem,
  noTenant,
  ownFields,
  type Snapshot,
  type TenantRecord,
  updatedFields,
} from "../record.ts";

export type TenantParts = Pick<ModuleParts, "quotaOperations" | "tenantValueProblem">;

const createTenant = contractMethod<Message, Message>("tenants", "TenantService.CreateTenant");
const getTenant = contractMethod<TenantRef & { readonly deletedToo: boolean }, TenantResource>(
  "tenants",
  "TenantService.GetTenant",
);
const listTenants = contractMethod<Message, Message>("tenants", "TenantService.ListTenants");
const updateTenant = contractMethod<Message, Message>("tenants", "TenantService.UpdateTenant");
const deleteTenant = contractMethod<Message, Message>("tenants", "TenantService.DeleteTenant");
const putEntitlements = contractMethod<TenantRef & { readonly snapshot: Snapshot }, Message>(
  "tenants",
  "TenantService.PutEntitlements",
);
const getEntitlements = contractMethod<TenantRef, Message>("tenants", "TenantService.GetEntitlements");

/** The methods of the contract: who may ask what of the one entity that has all tenants. */
export function tenantMethods(parts: TenantParts): Record<string, Orchestration> {
  const { quotaOperations, tenantValueProblem } = parts;
  return {
    async [createTenant.name](request, call) {
      checkQuotas(request as Message);
      checkSettings(request as Message);
      return askTenants(createTenant, request as Message, call);
    },

    [getTenant.name]: async (request, call) => tenantOf((request as TenantRef).tenant_id, call),

    async [listTenants.name](request, call) {
      if (isOperator(call)) return askTenants(listTenants, request as Message, call);
      const { status } = request as { status?: string };
      const own = await tenantOf(call.caller.tenant, call);
      const tenants = status === undefined || status === own.status ? [own] : [];
      return { tenants, next_page_token: "", total: tenants.length };
    },

    async [updateTenant.name](request, call) {
      const given = request as Message;
      visible(given.tenant_id as string, call);
      if (!isOperator(call)) checkOwnFields(given);
      checkQuotas(given);
      checkSettings(given);
      return askTenants(updateTenant, given, call);
    },

    [deleteTenant.name]: (request, call) => askTenants(deleteTenant, request as Message, call),

    async "TenantService.GetQuota"(request, call) {
      const { tenant_id, operation } = request as TenantRef & { operation: string };
      const tenant = await tenantOf(tenant_id, call);
      if (!quotaOperations().has(operation))
        throw new RefusalError(refuse("NOT_FOUND", `there is no operation ${operation}`));
      const asking = { ...call, caller: { ...call.caller, tenant: tenant_id } };
      const question = { key: quotaWindow, request: { operation } };
      const { used, resets_at } = await ask(asking, getQuota, question);
      const limit = tenant.quotas[operation];
      const left = limit === undefined ? {} : { limit, remaining: Math.max(0, limit - used) };
      return { operation, ...left, used, window: quotaWindow, resets_at };
    },

    async [putEntitlements.name](request, call) {
      const { tenant_id } = request as TenantRef;
      visible(tenant_id, call);
      const snapshot = snapshotOf(request as Message, call.clock.now());
      return askTenants(putEntitlements, { tenant_id, snapshot }, call);
    },

    async [getEntitlements.name](request, call) {
      visible((request as TenantRef).tenant_id, call);
      return askTenants(getEntitlements, request as TenantRef, call);
    },
  };

  function checkQuotas({ quotas }: Message): void {
    for (const operation of Object.keys((quotas as object | undefined) ?? {}))
      if (!quotaOperations().has(operation))
        throw invalid(
          `quotas.${operation}`,
          `is not an operation; those are ${[...quotaOperations()].join(", ")}`,
        );
  }

  function checkSettings(given: Message): void {
    const fields: FieldError[] = [];
    for (const [name, value] of givenMembers(given, "settings")) {
      const reason = tenantValueProblem(name, value);
      if (reason === undefined) continue;
      fields.push({ field: shortened(`settings.${quotedPart(name)}`, limits.fieldPathLengthMax), reason });
      if (fields.length === limits.fieldErrorsMax) break;
    }
    const [first] = fields;
    if (first === undefined) return;
    throw new RefusalError(refuse("INVALID_ARGUMENT", `${first.field} ${first.reason}`, { fields }));
  }
}

interface TenantRef {
  readonly tenant_id: string;
}

type TenantResource = Message & Pick<TenantRecord, "status" | "quotas">;

/** Principals of `system`, and those without a tenant. */
function isOperator({ may }: CallContext): boolean {
  return may("tenant:admin");
}

async function tenantOf(id: string, call: CallContext): Promise<TenantResource> {
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

function checkOwnFields(given: Message): void {
  const mask = given.update_mask as readonly string[] | undefined;
  const named = mask?.length
    ? mask.map((path) => path.split(".")[0]!)
    : updatedFields.filter((field) => !isUnset(given[field]));
  const foreign = named.filter((field) => updatedFields.includes(field) && !ownFields.includes(field));
  if (foreign.length === 0) return;
  const detail = `${foreign.join(", ")} of a tenant can be changed by the operator of the installation only`;
  throw new RefusalError(refuse("PERMISSION_DENIED", detail));
}

function isUnset(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function snapshotOf(request: Message, now: number): Snapshot {
  const { version, issued_at, fresh_until, items } = request as {
    version: number;
    issued_at?: string;
    fresh_until: string;
    items?: readonly EntitlementItem[];
  };
  const effects = new Map<string, string>();
  for (const { item, effect } of items ?? []) {
    const other = effects.get(item);
    if (other !== undefined && other !== effect) throw invalid("items", `both allow and deny ${item}`);
    effects.set(item, effect);
  }
  const issuedAt = issued_at === undefined ? now : Date.parse(issued_at);
  return { version, issuedAt, freshUntil: Date.parse(fresh_until), items: items ?? [] };
}

function invalid(field: string, reason: string): RefusalError {
  const refusal: Refusal = refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
  return new RefusalError(refusal);
}
