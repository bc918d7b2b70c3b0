import type { Access } from "#actors";
import { assert } from "#base";
import type { Principal } from "../calls/call.ts";

/** As the contract's `Identity`. */
export function identityOf(principal: Principal | undefined, access: Access): unknown {
  assert(principal !== undefined, "a call that asks who it is has been authenticated");
  const { kind, subject, owner = subject, tenant, roles, scopes = [], environmentMode } = principal;
  return {
    kind,
    subject,
    owner,
    ...(tenant !== undefined && { tenant_id: tenant }),
    roles,
    scopes,
    permissions: access.permissionsOf(principal),
    environment_mode: environmentMode,
  };
}
