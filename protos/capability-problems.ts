import type { DeclaredCapability } from "./declarations.ts";

/** What is missing or contradictory in the capabilities of the contract. */
export function capabilityProblems(capabilities: readonly DeclaredCapability[]): string[] {
  const known = new Map(capabilities.map((capability) => [capability.id, capability]));
  const seen = new Set<string>();
  return capabilities.flatMap((capability) => {
    const { id, name, needs, internal } = capability;
    const problems: string[] = [];
    if (!/^[a-z][a-z0-9_]*$/.test(id)) problems.push("is not an id (a-z, 0-9 and _)");
    if (name === "") problems.push("has no name");
    if (seen.has(id)) problems.push("is declared twice");
    seen.add(id);
    for (const need of needs) {
      const found = known.get(need);
      if (found === undefined) problems.push(`needs ${need}, which no service declares`);
      else if (found.internal && !internal) problems.push(`needs ${need}, which its readers may not see`);
    }
    if (needsItself(capability, known)) problems.push("needs itself");
    return problems.map((problem) => `capability ${id}: ${problem}`);
  });
}

function needsItself(
  { id, needs }: DeclaredCapability,
  known: ReadonlyMap<string, DeclaredCapability>,
): boolean {
  const met = new Set(needs);
  for (const need of met) for (const further of known.get(need)?.needs ?? []) met.add(further);
  return met.has(id);
}
