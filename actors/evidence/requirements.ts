import { type FieldError, type Refusal, refuse } from "#base";
import type { GatePhase, ReceiptType, Requirement } from "../kit/evidence-gate.ts";

interface RequirementRequest {
  readonly id: string;
  readonly receipt_type: ReceiptType;
  readonly subject?: string;
  readonly phase?: GatePhase | "";
  readonly max_age_seconds?: number;
  readonly producer_signed?: boolean;
  readonly depends_on?: readonly string[];
}

/** What callers give of a pack. */
export interface PackSettings {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requirements?: readonly RequirementRequest[];
}

/** As they are stored. Ids are unique, what they depend on is there, and nothing depends on itself. */
export function requirementsOf(given: readonly RequirementRequest[] = []): readonly Requirement[] | Refusal {
  const requirements = given.map(
    (one): Requirement => ({
      id: one.id,
      receiptType: one.receipt_type,
      subject: one.subject ?? "",
      phase: one.phase || "canary",
      maxAgeSeconds: one.max_age_seconds ?? 0,
      producerSigned: one.producer_signed ?? false,
      dependsOn: one.depends_on ?? [],
    }),
  );
  const problems = problemsOf(requirements);
  if (problems.length === 0) return requirements;
  const [first] = problems;
  return refuse("INVALID_ARGUMENT", `${first!.field} ${first!.reason}`, { fields: problems });
}

function problemsOf(requirements: readonly Requirement[]): FieldError[] {
  const problems: FieldError[] = [];
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  for (const [index, { id, dependsOn }] of requirements.entries()) {
    const at = `requirements[${index}]`;
    if (requirements.findIndex((other) => other.id === id) < index)
      problems.push({ field: `${at}.id`, reason: `${id} is there twice` });
    for (const other of dependsOn)
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
  for (const next of byId.get(from)?.dependsOn ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, to, byId, seen)) return true;
  }
  return false;
}
