import { parse } from "@bufbuild/cel";
import { childrenOf, type Expression, placeOf } from "../../cel/check.ts";
import { CelEnvironment } from "../../cel/environment.ts";
import type { CelProblem } from "../../cel/problem.ts";

const variables = { input: "dyn", steps: "dyn", run: "dyn", now: "int" } as const;

/** What the expressions of a workflow see. */
export const expressions = new CelEnvironment(variables);
/** `select` sees the output of its own step too. */
export const selections = new CelEnvironment({ ...variables, output: "dyn" });

/** A step that an expression names. */
export interface StepReference {
  readonly id: string;
  /** Its output is read, which fails where the step has none. */
  readonly output: boolean;
  /** `has(steps.id.output)` */
  readonly guard: boolean;
  readonly line: number;
  readonly column: number;
}

export interface Examined {
  readonly problems: readonly CelProblem[];
  readonly references: readonly StepReference[];
}

/** What is wrong with an expression, or which steps it names. */
export function examine(source: string, environment = expressions): Examined {
  const compiled = environment.compile(source);
  if ("problems" in compiled) return { problems: compiled.problems, references: [] };
  const parsed = parse(source);
  const problems: CelProblem[] = [];
  const references: StepReference[] = [];
  const place = (at: Expression) =>
    placeOf(source, parsed.sourceInfo?.positions[String(startOf(at).id)] ?? 0);
  const visit = (expression: Expression, shadowed: boolean): void => {
    const found = shadowed ? undefined : referenceIn(expression);
    if (found === undefined) {
      if (!shadowed && isSteps(expression))
        problems.push({ ...place(expression), reason: "name the step: steps.<id>" });
      for (const [child, names] of childrenOf(expression)) visit(child, shadowed || names.includes("steps"));
      return;
    }
    const { id, field, guard } = found;
    if (field !== undefined && !stepFields.includes(field))
      problems.push({
        ...place(expression),
        reason: `steps.${id} has no ${field}: there are ${stepFields.join(", ")}`,
      });
    references.push({ id, output: field === "output", guard, ...place(expression) });
  };
  visit(parsed.expr, false);
  const [field, bad] = wrongRun(parsed.expr) ?? [];
  if (bad) problems.push({ ...place(bad), reason: `run has no ${field}: there are ${runFields.join(", ")}` });
  return { problems, references };
}

/** The parser puts a selection where its dot is: the name that it begins with is where people look. */
function startOf(expression: Expression): Expression {
  const { exprKind } = expression;
  if (exprKind.case === "selectExpr" && exprKind.value.operand) return startOf(exprKind.value.operand);
  if (exprKind.case === "callExpr" && exprKind.value.function === "_[_]" && exprKind.value.args[0])
    return startOf(exprKind.value.args[0]);
  return expression;
}

const stepFields = ["status", "output", "error"];
const runFields = ["id", "key", "definition_id", "definition_key", "version", "environment", "started_at"];

/** `steps.id`, `steps["id"]`, and what follows it. */
function referenceIn(expression: Expression) {
  const { exprKind } = expression;
  if (exprKind.case === "selectExpr" && exprKind.value.operand) {
    const id = stepOf(exprKind.value.operand);
    if (id !== undefined) return { id, field: exprKind.value.field, guard: exprKind.value.testOnly };
  }
  const id = stepOf(expression);
  return id === undefined ? undefined : { id, field: undefined, guard: false };
}

function stepOf({ exprKind }: Expression): string | undefined {
  if (exprKind.case === "selectExpr")
    return exprKind.value.operand && isSteps(exprKind.value.operand) ? exprKind.value.field : undefined;
  if (exprKind.case !== "callExpr" || exprKind.value.function !== "_[_]") return undefined;
  const [list, index] = exprKind.value.args;
  if (!list || !isSteps(list) || index?.exprKind.case !== "constExpr") return undefined;
  const { constantKind } = index.exprKind.value;
  return constantKind.case === "stringValue" ? constantKind.value : undefined;
}

function isSteps({ exprKind }: Expression): boolean {
  return exprKind.case === "identExpr" && exprKind.value.name === "steps";
}

function wrongRun(expression: Expression): [string, Expression] | undefined {
  const { exprKind } = expression;
  if (exprKind.case === "selectExpr") {
    const operand = exprKind.value.operand?.exprKind;
    if (
      operand?.case === "identExpr" &&
      operand.value.name === "run" &&
      !runFields.includes(exprKind.value.field)
    )
      return [exprKind.value.field, expression];
  }
  for (const [child] of childrenOf(expression)) {
    const found = wrongRun(child);
    if (found) return found;
  }
  return undefined;
}
