import { type FieldError, invalid, type Refusal } from "#base";
import type { EvidenceRequirement } from "#protos";
import type { Requirement } from "../kit/evidence-gate.ts";

/** As they are stored. Ids are unique, what they depend on is there, and nothing depends on itself. */
export function requirementsOf(given: readonly EvidenceRequirement[] = []): readonly Requirement[] | Refusal {
  const requirements = given.map((one) => ({ ...unset, ...one, phase: one.phase || "canary" }));
  const problems = problemsOf(requirements);
  return problems.length > 0 ? invalid(...problems) : requirements;
}

/** What callers in the process may leave open. */
const unset = { subject: "", max_age_seconds: 0, producer_signed: false, depends_on: [] };

function problemsOf(requirements: readonly Requirement[]): FieldError[] {
  const problems: FieldError[] = [];
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  for (const [index, { id, depends_on }] of requirements.entries()) {
    const at = `requirements[${index}]`;
    if (requirements.findIndex((other) => other.id === id) < index)
      problems.push({ field: `${at}.id`, reason: `${id} is there twice` });
    for (const other of depends_on)
      if (!byId.has(other))
        problems.push({ field: `${at}.depends_on`, reason: `there is no requirement ${other}` });
    if (reaches(id, id, byId, new Set()))
      problems.push({ field: `${at}.depends_on`, reason: `${id} depends on itself` });
  }
  return problems;
}

function reaches(
  from: string,
  to: string,
  byId: ReadonlyMap<string, Requirement>,
  seen: Set<string>,
): boolean {
  for (const next of byId.get(from)?.depends_on ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, to, byId, seen)) return true;
  }
  return false;
}
