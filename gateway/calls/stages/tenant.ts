import type { TenantFacts } from "#actors";
import {
  didYouMean,
  invalid,
  isUlid,
  type Refusal,
  RefusalError,
  refusalError,
  refuse,
  systemTenantId,
} from "#base";
import { upperUlid } from "../../contract/index.ts";
import type { ContractMethod } from "../../contract/method.ts";
import type { Roles } from "../../contract/roles.ts";
import type { Call } from "../call.ts";
import { entitlementCheck } from "./entitlement.ts";
import type { PipelineParts, Stage } from "./stage.ts";
import { storageCheck } from "./storage-limit.ts";

/**
 * Fixes the tenant the call acts in: it is the principal's; only a platform principal may choose one. The tenant must be there
 * and active, and entitled to what is asked.
 */
export function tenant(parts: PipelineParts): Stage {
  const { methods, roles, providers } = parts;
  const exempt = new Set(methods.filter((method) => isExempt(method, roles)));
  const checkEntitlement = entitlementCheck(parts);
  const checkEntitlementAgain = entitlementCheck({ settings: parts.settings });
  const checkStorage = storageCheck(parts);
  const { tenants } = providers;
  return {
    name: "tenant",
    enter(call) {
      const given = call.headers.get("x-tenant-id");
      const asked = given === undefined ? undefined : upperUlid(given);
      const own = call.principal?.tenant;
      if (call.principal === undefined) return undefined;
      if (own === undefined) call.tenant = selected(call.method, asked, exempt);
      else if (asked === undefined || asked === own || exempt.has(call.method)) call.tenant = own;
      else throw refusalError("TENANT_MISMATCH", "X-Tenant-ID differs from the caller's own tenant");
      return withFacts(call, admit);
    },
    again: (call) => withFacts(call, checkEntitlementAgain),
    each(call) {
      if (call.tenantFacts !== undefined) checkStorage(call, call.tenantFacts);
    },
    leave(call, { refusal }) {
      if (call.uses > 0 && refusal === undefined && !call.replayed)
        tenants?.use(call.tenant!, call.method.quota!.operation, call.uses);
    },
  };

  function admit(call: Call, facts: TenantFacts): void {
    // A call keeps the facts it came in with: what it counts on the way in it counts back on the way out.
    call.tenantFacts = facts;
    checkEntitlement(call, facts);
    checkStorage(call, facts);
  }

  function withFacts(call: Call, then: (call: Call, facts: TenantFacts) => void): void | Promise<void> {
    if (tenants === undefined || call.tenant === undefined) return undefined;
    const known = tenants.peek(call.tenant);
    if (known === undefined)
      return tenants.load(call.tenant).then((facts) => then(call, active(call, facts)));
    return then(call, active(call, known));
  }
}

function active(call: Call, facts: TenantFacts | null): TenantFacts {
  if (facts?.status !== "active") throw new RefusalError(barred(call, facts));
  const environment = call.headers.get("x-environment");
  if (environment !== undefined && !facts.environments.includes(environment)) {
    const known = facts.environments;
    const hint = didYouMean(environment, known);
    const reason = `must be one of the tenant's environments: ${known.join(", ")}${hint}`;
    throw new RefusalError(invalid({ field: "X-Environment", reason }));
  }
  return facts;
}

/** Whether a tenant was deleted or never was is not told here. */
function barred({ principal }: Call, facts: TenantFacts | null): Refusal {
  if (facts?.status === "suspended")
    return refuse("PERMISSION_DENIED", "the tenant is suspended", { reason: "TENANT_SUSPENDED" });
  if (principal?.tenant === undefined) return refuse("NOT_FOUND", "there is no such tenant");
  return refuse("PERMISSION_DENIED", "the caller's tenant is not one of this installation", {
    reason: "TENANT_UNKNOWN",
  });
}

/** For a platform principal. Its calls that are about no tenant run as the system's own. */
function selected(
  method: ContractMethod,
  asked: string | undefined,
  exempt: ReadonlySet<ContractMethod>,
): string {
  if (asked === undefined) {
    if (exempt.has(method) || method.governance.audience !== "tenant") return systemTenantId;
    throw refusalError("INVALID_ARGUMENT", "X-Tenant-ID must name the tenant this call is for");
  }
  if (!isUlid(asked)) throw refusalError("INVALID_ARGUMENT", "X-Tenant-ID is not a tenant's id");
  return asked;
}

/** Making and removing tenants is no tenant's own business: such a method is about no tenant. */
function isExempt({ governance: { resource, action } }: ContractMethod, roles: Roles): boolean {
  return roles.holders(`${resource}:${action}`).platform.size > 0;
}
