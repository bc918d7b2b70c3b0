import type { RoleOptions } from "./declarations.ts";
import { isGrant } from "./permission.ts";

/** What is missing or contradictory in the roles of the contract. */
export function roleProblems(roles: readonly RoleOptions[]): string[] {
  const known = new Map(roles.map((role) => [role.name, role]));
  const seen = new Set<string | undefined>();
  return roles.flatMap((role) => {
    const problems: string[] = [];
    if (!/^[a-z][a-z_]*$/.test(role.name ?? "")) problems.push("is not a name (a-z and _)");
    if (seen.has(role.name)) problems.push("is declared twice");
    seen.add(role.name);
    for (const name of role.includes ?? [])
      if (!known.has(name)) problems.push(`includes ${name}, which no file declares`);
    if (includesItself(role, known)) problems.push("includes itself");
    const { grants = [], except = [], platform_grants: platformGrants = [] } = role;
    for (const grant of [...grants, ...except, ...platformGrants])
      if (!isGrant(grant)) problems.push(`${grant} is not resource:action`);
    if (role.by_scopes !== true && [...grants, ...platformGrants, ...(role.includes ?? [])].length === 0)
      problems.push("grants nothing");
    return problems.map((problem) => `role ${role.name ?? ""}: ${problem}`);
  });
}

function includesItself(role: RoleOptions, known: ReadonlyMap<string | undefined, RoleOptions>): boolean {
  const met = new Set(role.includes);
  for (const name of met) for (const further of known.get(name)?.includes ?? []) met.add(further);
  return met.has(role.name ?? "");
}
