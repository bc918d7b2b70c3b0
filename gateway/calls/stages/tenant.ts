import { isUlid, RefusalError, refuse, systemTenantId } from "#base";
import { upperUlid } from "../../contract/index.ts";
import type { ContractMethod } from "../../contract/method.ts";
import type { Roles } from "../../contract/roles.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Fixes the tenant the call acts in. It is the principal's; only a platform principal may choose one. */
export function tenant({ methods, roles }: PipelineParts): Stage {
  const exempt = new Set(methods.filter((method) => isExempt(method, roles)));
  return {
    name: "tenant",
    enter(call) {
      const given = call.headers.get("x-tenant-id");
      const asked = given === undefined ? undefined : upperUlid(given);
      const own = call.principal?.tenant;
      if (own !== undefined) {
        if (asked !== undefined && asked !== own && !exempt.has(call.method))
          throw new RefusalError(
            refuse("TENANT_MISMATCH", "X-Tenant-ID differs from the caller's own tenant"),
          );
        call.tenant = own;
        return;
      }
      if (call.principal === undefined) return;
      call.tenant = selected(call.method, asked, exempt);
    },
  };
}

/** For a platform principal. Its calls that are about no tenant run as the system's own. */
function selected(
  method: ContractMethod,
  asked: string | undefined,
  exempt: ReadonlySet<ContractMethod>,
): string {
  if (asked === undefined) {
    if (exempt.has(method) || method.governance.audience !== "tenant") return systemTenantId;
    throw new RefusalError(refuse("INVALID_ARGUMENT", "X-Tenant-ID must name the tenant this call is for"));
  }
  if (!isUlid(asked)) throw new RefusalError(refuse("INVALID_ARGUMENT", "X-Tenant-ID is not a tenant's id"));
  return asked;
}

/** Making and removing tenants is no tenant's own business: such a method is about no tenant. */
function isExempt({ governance: { resource, action } }: ContractMethod, roles: Roles): boolean {
  return roles.holders(`${resource}:${action}`).platform.size > 0;
}
