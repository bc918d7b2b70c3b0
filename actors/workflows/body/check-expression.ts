import { placeOf } from "../../cel/check.ts";
import { partsOf } from "../../cel/template.ts";
import { examine, expressions, type StepReference, selections } from "./expression.ts";
import type { Problems } from "./problem.ts";

/** What an expression may name where it stands. */
export interface Scope {
  /** All steps of the draft. */
  readonly ids: { readonly all: readonly string[] };
  /** Steps that have surely succeeded. */
  readonly certain: Set<string>;
  /** Steps that may have run. */
  readonly possible: Set<string>;
  /** Steps whose output a condition around it makes sure of. */
  readonly guarded: ReadonlySet<string>;
}

/** A whole text that is CEL. Answers with the steps whose output it makes sure of. */
export function checkCondition(
  given: unknown,
  path: string,
  scope: Scope,
  problems: Problems,
  purpose: "condition" | "select" = "condition",
): ReadonlySet<string> {
  if (typeof given !== "string" || given === "") {
    problems.add(path, "must be an expression");
    return scope.guarded;
  }
  const at = { path, text: given, offset: 0 };
  if (purpose === "select") return checkSource(given, at, scope, problems, selections);
  const before = problems.list.length;
  const guards = checkSource(given, at, scope, problems, expressions);
  if (problems.list.length === before)
    for (const { reason, ...place } of expressions.conditionProblems(given))
      problems.add(path, reason, "EXPRESSION", place);
  return guards;
}

/** A value of any kind with `${CEL}` in its texts. False where it has a problem. */
export function checkTemplate(value: unknown, path: string, scope: Scope, problems: Problems): boolean {
  const before = problems.list.length;
  if (typeof value === "string") checkText(value, path, scope, problems);
  else if (Array.isArray(value))
    for (const [index, element] of value.entries())
      checkTemplate(element, `${path}[${index}]`, scope, problems);
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value))
      checkTemplate(member, `${path}.${name}`, scope, problems);
  return problems.list.length === before;
}

function checkText(text: string, path: string, scope: Scope, problems: Problems): void {
  const parts = partsOf(text);
  if ("unclosed" in parts) {
    problems.add(
      path,
      "has an expression without its closing brace",
      "EXPRESSION",
      placeOf(text, parts.unclosed),
    );
    return;
  }
  for (const part of parts)
    if ("source" in part)
      checkSource(part.source, { path, text, offset: part.offset }, scope, problems, expressions);
}

interface At {
  readonly path: string;
  /** The whole text, and where the expression begins in it. */
  readonly text: string;
  readonly offset: number;
}

function checkSource(
  source: string,
  at: At,
  scope: Scope,
  problems: Problems,
  environment: typeof expressions,
): ReadonlySet<string> {
  const found = examine(source, environment);
  for (const { reason, ...place } of found.problems)
    problems.add(at.path, reason, "EXPRESSION", placeIn(at, place));
  const guards = new Set(scope.guarded);
  for (const { id, guard, output } of found.references) if (guard && output) guards.add(id);
  for (const reference of found.references) {
    const reason = wrongReference(reference, scope, guards);
    if (reason !== undefined) problems.add(at.path, reason, "REFERENCE", placeIn(at, reference));
  }
  return guards;
}

function wrongReference(
  { id, output }: StepReference,
  scope: Scope,
  guards: ReadonlySet<string>,
): string | undefined {
  if (scope.certain.has(id)) return undefined;
  if (!scope.ids.all.includes(id)) return `there is no step ${id}`;
  if (!scope.possible.has(id)) return `the step ${id} cannot have run before this`;
  if (!output || guards.has(id)) return undefined;
  return `the step ${id} may not have run: ask has(steps.${id}.output) first`;
}

/** From a place in an expression to one in the text that it is part of. */
function placeIn({ text, offset }: At, { line, column }: { line: number; column: number }) {
  const start = placeOf(text, offset);
  return { line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column };
}
