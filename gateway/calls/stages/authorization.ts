import { RefusalError, refuse } from "#base";
import type { ContractMethod } from "../../contract/method.ts";
import type { Roles } from "../../contract/roles.ts";
import type { Call, Principal } from "../call.ts";
import { grants, type Permission, permissionOf } from "./roles.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Compares what the contract asks for with what the principal's roles and scopes give. */
export function authorization({ methods, roles, settings }: PipelineParts): Stage {
  const needs = new Map(methods.map((method) => [method, neededOf(method, roles)]));
  const judge = (call: Call) => {
    if (!call.method.governance.authorizationRequired || call.principal?.kind === "module") return;
    if (settings.authzProvider === "none") {
      if (settings.authzAllowWhenUnconfigured) return;
      throw denied("no authorization is configured, and without it everything is denied");
    }
    if (call.principal === undefined) throw denied("the caller is not authenticated");
    check(call.principal, call.method, needs.get(call.method) ?? neededOf(call.method, roles));
  };
  return { name: "authorization", enter: judge, again: judge };
}

/** The same judgement outside the pipeline, for one permission by its name. */
export function permissionCheck({ roles, settings }: Pick<PipelineParts, "roles" | "settings">) {
  const known = new Map<string, Permission>();
  return (principal: Principal | undefined, name: string): boolean => {
    if (principal?.kind === "module") return true;
    if (settings.authzProvider === "none") return settings.authzAllowWhenUnconfigured;
    let permission = known.get(name);
    if (permission === undefined) {
      permission = permissionOf(name, roles);
      known.set(name, permission);
    }
    return principal !== undefined && grants(principal, permission);
  };
}

function neededOf({ governance }: ContractMethod, roles: Roles): readonly Permission[] {
  const { resource, action, scopes } = governance;
  return [...new Set([`${resource}:${action}`, ...scopes])].map((name) => permissionOf(name, roles));
}

function check(principal: Principal, method: ContractMethod, needed: readonly Permission[]): void {
  const { roles } = method.governance;
  if (roles.length > 0 && !roles.some((role) => principal.roles.includes(role)))
    throw denied(`${method.name} is for the role ${roles.join(" or ")}`);
  for (const permission of needed)
    if (!grants(principal, permission)) throw denied(`the permission ${permission.name} is missing`);
}

function denied(detail: string): RefusalError {
  return new RefusalError(refuse("PERMISSION_DENIED", detail));
}
