import { systemTenantId } from "#base";
import type { Principal } from "../call.ts";

/** The roles and what each grants, as `resource:action`. Effective = what the roles grant ∩ the scopes, if any. */
export function grants(principal: Principal, { name, resource, action }: Permission): boolean {
  if (principal.scopes !== undefined && !principal.scopes.includes(name)) return false;
  for (const role of principal.roles) if (roleGrants(role, resource, action, principal)) return true;
  return false;
}

/** `resource:action` and its two halves. */
export interface Permission {
  readonly name: string;
  readonly resource: string;
  readonly action: string;
}

function roleGrants(role: string, resource: string, action: string, principal: Principal): boolean {
  switch (role) {
    case "viewer":
      return viewerGrants(action);
    case "operator":
      return viewerGrants(action) || operatorGrants(resource, action);
    case "admin":
      return (
        !isAboveTenants(resource, action) ||
        principal.tenant === systemTenantId ||
        principal.tenant === undefined
      );
    case "service":
      // Its scopes are its permissions. A key without any may do nothing; a service token is not narrowed.
      return principal.scopes !== undefined || principal.kind === "service";
    default:
      return false;
  }
}

function viewerGrants(action: string): boolean {
  return action === "read" || action === "preview";
}

function operatorGrants(resource: string, action: string): boolean {
  if (action === "write") return !["tenant", "api_key", "config"].includes(resource);
  return action === "delete" && ["pool", "recipient", "rule"].includes(resource);
}

/** Making and removing tenants is no tenant's own business, not even its administrator's. */
export function isAboveTenants(resource: string, action: string): boolean {
  return resource === "tenant" && action === "admin";
}
