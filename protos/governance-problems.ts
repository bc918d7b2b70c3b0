import type { DescMethod, DescService, FileRegistry } from "@bufbuild/protobuf";
import { governanceOf, methodOptions, serviceOptions } from "./options.ts";
import { actions, isPermission } from "./permission.ts";

/** What is missing from the governance that a service gives its RPCs. */
export function serviceProblems(registry: FileRegistry, service: DescService): string[] {
  const { governance } = serviceOptions(registry, service);
  if (governance === undefined) return ["has no (service.options.service).governance"];
  return defaults
    .filter((name) => governance[name] === undefined)
    .map((name) => `governance.${name} is missing`);
}

const defaults = [
  "lifecycle",
  "audience",
  "authentication_required",
  "authorization_required",
  "internal_only",
] as const;

/** What is missing, repeated or contradictory in the governance of one RPC. `roles`: those that are declared. */
export function governanceProblems(
  registry: FileRegistry,
  method: DescMethod,
  roles: ReadonlySet<string | undefined>,
): string[] {
  const governance = governanceOf(registry, method);
  const problems = (["resource", "action"] as const)
    .filter((name) => (governance[name] ?? "") === "")
    .map((name) => `governance.${name} is missing`);
  const own = methodOptions(registry, method).method?.governance;
  const given = serviceOptions(registry, method.parent).governance;
  for (const name of defaults)
    if (own?.[name] !== undefined && own[name] === given?.[name])
      problems.push(`governance.${name} repeats what the service says`);
  if (governance.action !== undefined && !actions.has(governance.action))
    problems.push(`governance.action ${governance.action} is not one of ${[...actions].join(", ")}`);
  for (const scope of governance.scopes ?? [])
    if (!isPermission(scope)) problems.push(`${scope} is not a scope`);
  for (const role of governance.roles ?? [])
    if (!roles.has(role)) problems.push(`the role ${role} is declared by no file`);
  if (governance.authorization_required === true && governance.authentication_required !== true)
    problems.push("is authorized without being authenticated");
  if (governance.internal_only === true && governance.audience !== "AUDIENCE_INTERNAL")
    problems.push("is internal-only for another audience");
  return problems;
}
