import { childrenOf, type Expression, type Parsed } from "./check.ts";

/** Of one evaluation: what its parts take however small its values are. */
export interface Prepared {
  readonly expression: Expression;
  readonly steps: number;
}

/**
 * Writes calls of metered functions into an expression wherever the evaluator works by itself: loops, indexes that are not
 * plain names, `has`, and the lists that `map` and `filter` build.
 */
export function prepare({ expr }: Parsed): Prepared {
  const visit = (expression: Expression): void => {
    for (const [child] of childrenOf(expression)) visit(child);
    const { exprKind: kind } = expression;
    if (kind.case === "selectExpr" && kind.value.testOnly && kind.value.operand !== undefined)
      become(expression, "@has", [kind.value.operand, constant("stringValue", kind.value.field)]);
    else if (kind.case === "callExpr") prepareCall(expression, kind.value);
    else if (kind.case === "comprehensionExpr") prepareLoop(kind.value);
  };
  visit(expr);
  return { expression: expr, steps: Math.ceil(stepsOf(expr)) };
}

type Kind<Case> = Extract<Expression["exprKind"], { case: Case }>;

function prepareCall(expression: Expression, { function: name, args }: Kind<"callExpr">["value"]): void {
  if (name === "_[_]" && !isText(args[1])) become(expression, "@index", args);
  const [list, added] = args;
  if (name !== "_+_" || list?.exprKind.case !== "identExpr" || list.exprKind.value.name !== collected) return;
  if (added?.exprKind.case === "listExpr")
    become(expression, "@append", [list, added.exprKind.value.elements[0]!]);
}

/** What the library calls the list that `map` and `filter` build; no expression can name it. */
const collected = "@result";

function prepareLoop(loop: Kind<"comprehensionExpr">["value"]): void {
  const { iterRange, loopCondition, loopStep } = loop;
  if (!iterRange || !loopCondition || !loopStep) return;
  const steps = loopSteps + stepsOf(loopCondition) + stepsOf(loopStep);
  loop.iterRange = call("@range", [iterRange]);
  loop.loopCondition = call("@tick", [loopCondition, constant("doubleValue", steps)]);
}

const loopSteps = 2;
const callSteps = 1;
/** `&&`, `||` and what loops are made of. */
const logicSteps = 0.25;
const logic = new Set(["_&&_", "_||_", "@not_strictly_false"]);
/** A path is looked for under each of its prefixes, and ends in an error where something is missing. */
const pathSteps = 3;
const selectSteps = 2;
const entrySteps = 2;

/** All parts but those that a loop repeats. */
function stepsOf(expression: Expression): number {
  const { exprKind: kind } = expression;
  switch (kind.case) {
    case "constExpr":
      return logicSteps;
    case "identExpr":
      return callSteps;
    case "selectExpr": {
      const { operand } = kind.value;
      return selectSteps + (operand?.exprKind.case === "selectExpr" ? 0 : pathSteps) + sumOf([operand]);
    }
    case "callExpr": {
      const { function: name, target, args } = kind.value;
      return (logic.has(name) ? logicSteps : callSteps) + sumOf([target, ...args]);
    }
    case "listExpr":
      return callSteps + sumOf(kind.value.elements);
    case "structExpr":
      return (
        callSteps +
        entrySteps * kind.value.entries.length +
        sumOf(childrenOf(expression).map(([part]) => part))
      );
    case "comprehensionExpr":
      return callSteps + sumOf([kind.value.iterRange, kind.value.accuInit, kind.value.result]);
    case undefined:
      return 0;
  }
}

function sumOf(parts: readonly (Expression | undefined)[]): number {
  let steps = 0;
  for (const part of parts) if (part !== undefined) steps += stepsOf(part);
  return steps;
}

function isText(expression: Expression | undefined): boolean {
  const kind = expression?.exprKind;
  return kind?.case === "constExpr" && kind.value.constantKind.case === "stringValue";
}

/** The expression stays where it is in its tree, and its place in the source. */
export function become(expression: Expression, name: string, args: Expression[]): void {
  expression.exprKind = call(name, args).exprKind;
}

function call(name: string, args: Expression[]): Expression {
  const value: Kind<"callExpr">["value"] = { $typeName: "cel.expr.Expr.Call", function: name, args };
  return { $typeName: "cel.expr.Expr", id: 0n, exprKind: { case: "callExpr", value } };
}

function constant(type: "stringValue", value: string): Expression;
function constant(type: "doubleValue", value: number): Expression;
function constant(type: "stringValue" | "doubleValue", value: string | number): Expression {
  const constantKind = { case: type, value } as Kind<"constExpr">["value"]["constantKind"];
  const constExpr: Kind<"constExpr">["value"] = { $typeName: "cel.expr.Constant", constantKind };
  return { $typeName: "cel.expr.Expr", id: 0n, exprKind: { case: "constExpr", value: constExpr } };
}
