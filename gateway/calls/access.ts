import type { Access, Holder } from "#actors";
import type { Contract } from "../contract/index.ts";
import { grants, type Permission, permissionOf } from "./stages/roles.ts";

/** The roles and permissions of the contract. It is read when it is first asked about. */
export function accessOf(contract: () => Pick<Contract, "methods" | "roles">): Access {
  let known: { readonly roles: Contract["roles"]; readonly permissions: ReadonlyMap<string, Permission> };
  const read = () => {
    if (known === undefined) {
      const { methods, roles } = contract();
      const names = permissionNames(methods);
      known = { roles, permissions: new Map(names.map((name) => [name, permissionOf(name, roles)])) };
    }
    return known;
  };
  return {
    isRole: (name) => read().roles.names.has(name),
    isPermission: (name) => read().permissions.has(name),
    isByScopes: (role) => read().roles.byScopes.has(role),
    permissionsOf: (holder) =>
      [...read().permissions.values()]
        .filter((permission) => grants(asPrincipal(holder), permission))
        .map(({ name }) => name),
  };
}

/** Every permission that a method asks for, in order. */
export function permissionNames(methods: Contract["methods"]): string[] {
  const names = methods.flatMap(({ governance: { resource, action, scopes } }) => [
    `${resource}:${action}`,
    ...scopes,
  ]);
  return [...new Set(names)].sort();
}

function asPrincipal(holder: Holder) {
  return { kind: "user", subject: "", environmentMode: "any", ...holder } as const;
}
