import { systemTenantId } from "#base";
import type { Holders, Roles } from "../../contract/roles.ts";
import type { Principal } from "../call.ts";

/** `resource:action`, and the roles that hold it. */
export interface Permission extends Holders {
  readonly name: string;
}

export function permissionOf(name: string, roles: Roles): Permission {
  return { name, ...roles.holders(name) };
}

/** Effective = what the roles grant ∩ the scopes, if any. */
export function grants(principal: Principal, { name, always, platform, byScopes }: Permission): boolean {
  if (principal.scopes !== undefined && !principal.scopes.includes(name)) return false;
  // What is about no tenant is not granted to callers of a tenant, whatever the scopes say.
  if (platform.size > 0 && !isPlatform(principal)) return false;
  for (const role of principal.roles) {
    if (always.has(role) || platform.has(role)) return true;
    // A key without scopes may do nothing; a service token is not narrowed.
    if (byScopes.has(role) && (principal.scopes !== undefined || principal.kind === "service")) return true;
  }
  return false;
}

function isPlatform({ tenant, operates }: Principal): boolean {
  return operates || tenant === systemTenantId || tenant === undefined;
}
