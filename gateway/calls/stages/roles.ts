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
  for (const role of principal.roles) {
    if (always.has(role)) return true;
    if (platform.has(role) && isPlatform(principal)) return true;
    // A key without scopes may do nothing; a service token is not narrowed.
    if (byScopes.has(role) && (principal.scopes !== undefined || principal.kind === "service")) return true;
  }
  return false;
}

function isPlatform({ tenant }: Principal): boolean {
  return tenant === systemTenantId || tenant === undefined;
}
