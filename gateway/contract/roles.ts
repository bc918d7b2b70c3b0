import type { RoleOptions } from "#protos";

/** The roles of the contract: who holds a permission. */
export interface Roles {
  readonly names: ReadonlySet<string>;
  /** Roles whose permissions are the scopes of their holder. */
  readonly byScopes: ReadonlySet<string>;
  holders(permission: string): Holders;
}

/** The names of the roles that hold one permission, by what else is asked of the caller. */
export interface Holders {
  readonly always: ReadonlySet<string>;
  /** Of callers of the tenant `system`, and of those without a tenant. */
  readonly platform: ReadonlySet<string>;
  /** Of callers whose scopes are their permissions. */
  readonly byScopes: ReadonlySet<string>;
}

export function rolesOf(declared: readonly RoleOptions[]): Roles {
  const all = declared.map((role) => ({ name: role.name!, parts: [...withIncluded(role, declared)] }));
  const named = (holds: (role: RoleOptions) => boolean): ReadonlySet<string> =>
    new Set(all.filter(({ parts }) => parts.some(holds)).map(({ name }) => name));
  const byScopes = named((role) => role.by_scopes === true);
  return {
    names: new Set(all.map(({ name }) => name)),
    byScopes,
    holders: (permission) => ({
      always: named((role) => matches(role.grants, permission) && !matches(role.except, permission)),
      platform: named((role) => matches(role.platform_grants, permission)),
      byScopes,
    }),
  };
}

function withIncluded(role: RoleOptions, declared: readonly RoleOptions[]): ReadonlySet<RoleOptions> {
  const found = new Set([role]);
  for (const one of found)
    for (const name of one.includes ?? []) found.add(declared.find((other) => other.name === name)!);
  return found;
}

function matches(grants: readonly string[] | undefined, permission: string): boolean {
  const [resource, action] = permission.split(":");
  return (grants ?? []).some((grant) => {
    const [grantedResource, grantedAction] = grant.split(":");
    return isCovered(resource, grantedResource) && isCovered(action, grantedAction);
  });
}

function isCovered(part: string | undefined, granted: string | undefined): boolean {
  return granted === "*" || granted === part;
}
