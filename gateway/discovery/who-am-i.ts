import { type Access, isInMode } from "#actors";
import { assert, systemTenantId } from "#base";
import type { Call } from "../calls/call.ts";

/** As the contract's `Identity`. */
export function identityOf({ principal, tenantFacts }: Call, access: Access): unknown {
  assert(principal !== undefined, "a call that asks who it is has been authenticated");
  const { kind, subject, owner = subject, tenant, roles, scopes = [], environmentMode } = principal;
  const facts = tenantFacts?.id === systemTenantId ? undefined : tenantFacts;
  return {
    kind,
    subject,
    owner,
    ...(tenant !== undefined && { tenant_id: tenant }),
    roles,
    scopes,
    permissions: access.permissionsOf(principal),
    environment_mode: environmentMode,
    ...(facts && { tenant_name: facts.name }),
    environments: facts?.environments.filter((name) => isInMode(name, environmentMode)) ?? [],
  };
}
