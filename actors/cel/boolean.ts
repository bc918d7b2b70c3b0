import { childrenOf, type Expression, type Parsed, placeOf } from "./check.ts";
import type { CelProblem } from "./problem.ts";

/** Whether a variable, or a path that begins with one, surely holds something else than true or false. */
export type IsOther = (leaf: Expression) => boolean;

/** What keeps an expression from ever being true or false, as far as it can be told without values. */
export function booleanProblems(
  source: string,
  { expr, sourceInfo }: Parsed,
  isOther: IsOther,
): CelProblem[] {
  if (neverBoolean(expr, isOther))
    return [{ line: 1, column: 1, reason: "is never true or false, so it would never match" }];
  const problems: CelProblem[] = [];
  const visit = (expression: Expression, shadowed: readonly string[]): void => {
    const visible: IsOther = (leaf) => !shadowed.includes(firstName(leaf)) && isOther(leaf);
    for (const operand of operandsOf(expression))
      if (neverBoolean(operand, visible)) {
        const offset = sourceInfo?.positions[String(operand.id)] ?? 0;
        problems.push({
          ...placeOf(source, offset),
          reason: "is never true or false, but stands where only those can",
        });
      }
    for (const [child, names] of childrenOf(expression)) visit(child, [...shadowed, ...names]);
  };
  visit(expr, []);
  return problems;
}

/** The parts of an operator that have to be true or false. */
function operandsOf({ exprKind }: Expression): readonly Expression[] {
  if (exprKind.case !== "callExpr") return [];
  const { function: name, args } = exprKind.value;
  if (name === "_&&_" || name === "_||_" || name === "!_") return args;
  return name === "_?_:_" ? args.slice(0, 1) : [];
}

/** Operators and functions whose value is a number, a text, a list, a time or a type. */
const otherCalls = new Set(
  [
    "_+_ _-_ _*_ _/_ _%_ -_ size int uint double string bytes type duration timestamp",
    "charAt indexOf lastIndexOf lowerAscii upperAscii reverse split substring trim",
    "getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds",
  ].flatMap((names) => names.split(" ")),
);

/** Both branches of a choice have to be so. */
function neverBoolean(expression: Expression, isOther: IsOther): boolean {
  const { exprKind } = expression;
  switch (exprKind.case) {
    case "constExpr":
      return exprKind.value.constantKind.case !== "boolValue";
    case "listExpr":
    case "structExpr":
      return true;
    case "callExpr": {
      const { function: name, args } = exprKind.value;
      if (name === "_?_:_") return args.slice(1).every((branch) => neverBoolean(branch, isOther));
      return otherCalls.has(name);
    }
    case "identExpr":
      return isOther(expression);
    case "selectExpr":
      return !exprKind.value.testOnly && isOther(expression);
    case "comprehensionExpr":
      // `map` and `filter` collect a list; `all`, `exists` and `exists_one` begin with a boolean or a number that they compare.
      return exprKind.value.accuInit?.exprKind.case === "listExpr";
    case undefined:
      return false;
  }
}

function firstName({ exprKind }: Expression): string {
  if (exprKind.case === "identExpr") return exprKind.value.name;
  return exprKind.case === "selectExpr" && exprKind.value.operand ? firstName(exprKind.value.operand) : "";
}
