import {
  type FieldError,
  isRefusal,
  limits,
  quotedPart,
  type Refusal,
  RefusalError,
  refuse,
  shortened,
  systemTenantId,
} from "#base";
import { givenMembers } from "../../kit/mask.ts";
import { type QuotaUse, quotaOf, quotaWindow } from "../../kit/quota.ts";
import { tenantsAddress } from "../../kit/tenant.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { ModuleParts } from "../../parts.ts";
import type { Message } from "../decide.ts";
import { type EntitlementItem, noTenant, ownFields, type Snapshot, updatedFields } from "../record.ts";

export type TenantParts = Pick<ModuleParts, "quotaOperations" | "tenantValueProblem">;

/** The methods of the contract: who may ask what of the one entity that has all tenants. */
export function tenantMethods(parts: TenantParts): Record<string, Orchestration> {
  const { quotaOperations, tenantValueProblem } = parts;
  return {
    async "TenantService.CreateTenant"(request, call) {
      checkQuotas(request as Message);
      checkSettings(request as Message);
      return ask("TenantService.CreateTenant", request as Message, call);
    },

    "TenantService.GetTenant": async (request, call) => getTenant((request as TenantRef).tenant_id, call),

    async "TenantService.ListTenants"(request, call) {
      if (isOperator(call)) return ask("TenantService.ListTenants", request as Message, call);
      const { status } = request as { status?: string };
      const own = (await getTenant(call.caller.tenant, call)) as Message;
      const tenants = status === undefined || status === own.status ? [own] : [];
      return { tenants, next_page_token: "", total: tenants.length };
    },

    async "TenantService.UpdateTenant"(request, call) {
      const given = request as Message;
      visible(given.tenant_id as string, call);
      if (!isOperator(call)) checkOwnFields(given);
      checkQuotas(given);
      checkSettings(given);
      return ask("TenantService.UpdateTenant", given, call);
    },

    "TenantService.DeleteTenant": (request, call) =>
      ask("TenantService.DeleteTenant", request as Message, call),

    async "TenantService.GetQuota"(request, call) {
      const { tenant_id, operation } = request as TenantRef & { operation: string };
      const tenant = (await getTenant(tenant_id, call)) as { quotas: Readonly<Record<string, number>> };
      if (!quotaOperations().has(operation))
        throw new RefusalError(refuse("NOT_FOUND", `there is no operation ${operation}`));
      const { caller, asker, deadlineMs, signal } = call;
      const asked = { caller: { ...caller, tenant: tenant_id }, deadlineMs, signal };
      const answer = await asker.ask({
        ...asked,
        to: quotaOf(tenant_id),
        method: "Quota.Get",
        request: { operation },
      });
      if (isRefusal(answer)) throw new RefusalError(answer);
      const { used, resets_at } = answer.response as QuotaUse;
      const limit = tenant.quotas[operation];
      const left = limit === undefined ? {} : { limit, remaining: Math.max(0, limit - used) };
      return { operation, ...left, used, window: quotaWindow, resets_at };
    },

    async "TenantService.PutEntitlements"(request, call) {
      const { tenant_id } = request as TenantRef;
      visible(tenant_id, call);
      const snapshot = snapshotOf(request as Message, call.clock.now());
      return ask("TenantService.PutEntitlements", { tenant_id, snapshot }, call);
    },

    async "TenantService.GetEntitlements"(request, call) {
      visible((request as TenantRef).tenant_id, call);
      return ask("TenantService.GetEntitlements", request as Message, call);
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

/** Principals of `system`, and those without a tenant. */
function isOperator({ may }: CallContext): boolean {
  return may("tenant:admin");
}

function getTenant(id: string, call: CallContext): Promise<unknown> {
  visible(id, call);
  return ask("TenantService.GetTenant", { tenant_id: id, deletedToo: isOperator(call) }, call);
}

/** Another tenant's id is as unknown as one that was never given out. */
function visible(id: string, call: CallContext): void {
  if (id !== call.caller.tenant && !isOperator(call)) throw new RefusalError(noTenant());
}

async function ask(method: string, request: Message, call: CallContext): Promise<unknown> {
  const { asker, deadlineMs, signal, idempotency } = call;
  const caller = { ...call.caller, tenant: systemTenantId };
  const asked = { to: tenantsAddress, method, request, caller, deadlineMs, signal };
  const answer = await asker.ask(idempotency === undefined ? asked : { ...asked, idempotency });
  if (isRefusal(answer)) throw new RefusalError(answer);
  return answer.response;
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
