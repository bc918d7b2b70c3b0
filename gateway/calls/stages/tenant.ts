import { isUlid, RefusalError, refuse, systemTenantId } from "#base";
import type { ContractMethod } from "../../contract/method.ts";
import { isAboveTenants } from "./roles.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Fixes the tenant the call acts in. It is the principal's; only a platform principal may choose one. */
export function tenant(_parts: PipelineParts): Stage {
  return {
    name: "tenant",
    enter(call) {
      const asked = call.headers.get("x-tenant-id");
      const own = call.principal?.tenant;
      if (own !== undefined) {
        if (asked !== undefined && asked !== own && !isExempt(call.method))
          throw new RefusalError(
            refuse("TENANT_MISMATCH", "X-Tenant-ID differs from the caller's own tenant"),
          );
        call.tenant = own;
        return;
      }
      if (call.principal === undefined) return;
      call.tenant = selected(call.method, asked);
    },
  };
}

/** For a platform principal. Its calls that are about no tenant run as the system's own. */
function selected(method: ContractMethod, asked: string | undefined): string {
  if (asked === undefined) {
    if (isExempt(method) || method.governance.audience !== "tenant") return systemTenantId;
    throw new RefusalError(refuse("INVALID_ARGUMENT", "X-Tenant-ID must name the tenant this call is for"));
  }
  if (!isUlid(asked)) throw new RefusalError(refuse("INVALID_ARGUMENT", "X-Tenant-ID is not a tenant's id"));
  return asked;
}

function isExempt(method: ContractMethod): boolean {
  return isAboveTenants(method.governance.resource, method.governance.action);
}
