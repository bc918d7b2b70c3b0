import { type RefusalError, refusalError } from "#base";
import type { ContractMethod } from "../../contract/method.ts";
import type { Roles } from "../../contract/roles.ts";
import type { Call, Principal } from "../call.ts";
import { grants, type Permission, permissionOf } from "./roles.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Compares what the contract asks for with what the principal's roles and scopes give. */
export function authorization(parts: PipelineParts): Stage {
  const judge = methodCheck(parts);
  return { name: "authorization", enter: judge, again: judge };
}

/** Throws a RefusalError where this principal may not call the method. */
export function methodCheck({
  methods,
  roles,
  settings,
}: Pick<PipelineParts, "roles" | "settings"> & Methods) {
  const needs = new Map([...methods].map((method) => [method, neededOf(method, roles)]));
  return ({ method, principal }: Pick<Call, "method" | "principal">) => {
    if (principal?.kind === "module") return;
    if (method.governance.authorizationRequired) authorize(method, principal);
    if (principal !== undefined) checkEnvironmentMode(principal, method);
  };

  function authorize(method: ContractMethod, principal: Principal | undefined): void {
    if (settings.authzProvider === "none") {
      if (settings.authzAllowWhenUnconfigured) return;
      throw denied("no authorization is configured, and without it everything is denied");
    }
    if (principal === undefined) throw denied("the caller is not authenticated");
    check(principal, method, needs.get(method) ?? neededOf(method, roles));
  }
}

/** Where a method has an environment, the entity that knows it compares. */
function checkEnvironmentMode({ environmentMode }: Principal, { name, environment }: ContractMethod): void {
  if (environmentMode === "any" || !isClosed({ environment })) return;
  const detail = `${name} acts in no single environment, and this principal is ${environmentMode.replaceAll("_", " ")}`;
  throw refusalError("PERMISSION_DENIED", detail, { reason: "ENVIRONMENT_MODE" });
}

interface Methods {
  readonly methods: Iterable<ContractMethod>;
}

/** The same judgement outside the pipeline, for one permission by its name. */
export function permissionCheck(parts: Pick<PipelineParts, "roles" | "settings"> & Methods) {
  const { roles, settings } = parts;
  const methods = [...parts.methods];
  const known = new Map<string, Permission>();
  // What no method gives to a credential that is limited to some environments, no module does for it either.
  const limited = new Set(methods.filter((method) => !isClosed(method)).flatMap(permissionsOf));
  const closed = new Set(methods.flatMap(permissionsOf).filter((name) => !limited.has(name)));
  return (principal: Principal | undefined, name: string, use?: "grant"): boolean => {
    if (principal?.kind === "module") return true;
    const isLimited = principal !== undefined && principal.environmentMode !== "any";
    if (isLimited && use !== "grant" && closed.has(name)) return false;
    if (settings.authzProvider === "none") return settings.authzAllowWhenUnconfigured;
    let permission = known.get(name);
    if (permission === undefined) {
      permission = permissionOf(name, roles);
      known.set(name, permission);
    }
    return principal !== undefined && grants(principal, permission);
  };
}

/** For credentials that are limited to some environments. */
function isClosed({ environment }: Pick<ContractMethod, "environment">): boolean {
  return environment.from === "none" && environment.open === undefined;
}

function neededOf(method: ContractMethod, roles: Roles): readonly Permission[] {
  return permissionsOf(method).map((name) => permissionOf(name, roles));
}

function permissionsOf({ governance: { resource, action, scopes } }: ContractMethod): readonly string[] {
  return [...new Set([`${resource}:${action}`, ...scopes])];
}

function check(principal: Principal, method: ContractMethod, needed: readonly Permission[]): void {
  const { roles } = method.governance;
  if (roles.length > 0 && !roles.some((role) => principal.roles.includes(role)))
    throw denied(`${method.name} is for the role ${roles.join(" or ")}`);
  for (const permission of needed)
    if (!grants(principal, permission)) throw denied(`the permission ${permission.name} is missing`);
}

function denied(detail: string): RefusalError {
  return refusalError("PERMISSION_DENIED", detail);
}
