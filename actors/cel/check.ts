import type { CelEnv, parse } from "@bufbuild/cel";
import { limits } from "#base";
import type { CelProblem } from "./problem.ts";

export type Parsed = ReturnType<typeof parse>;
export type Expression = Parsed["expr"];

const types = new Set([
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "list",
  "map",
  "null_type",
  "type",
]);
export const tooDeep = `nested more than ${limits.celDepthMax} deep`;

/** Operators that the evaluator handles itself rather than looking them up. */
const operators = new Set(["_[_]", "_?_:_", "_&&_", "_||_", "@not_strictly_false", "_[?_]", "_?._"]);

/** What the parser lets through and would fail on every item: unknown names, numbers beyond 64 bits, or an expression too deep. */
export function checkExpression(
  source: string,
  parsed: Parsed,
  variables: readonly string[],
  functions: CelEnv["funcs"],
): CelProblem[] {
  const problems: CelProblem[] = [];
  const report = (at: Expression, reason: string) =>
    problems.push({ ...placeOf(source, parsed.sourceInfo?.positions[String(at.id)] ?? 0), reason });
  const visit = (expression: Expression, scope: ReadonlySet<string>, depth: number): void => {
    if (depth > limits.celDepthMax) {
      if (problems.length === 0) report(expression, tooDeep);
      return;
    }
    const kind = expression.exprKind;
    if (kind.case === "identExpr" && !scope.has(kind.value.name) && !types.has(kind.value.name))
      report(expression, `unknown name ${kind.value.name}: there are ${listed(variables)}`);
    if (kind.case === "structExpr" && kind.value.messageName !== "")
      report(expression, `unknown type ${kind.value.messageName}`);
    if (
      kind.case === "callExpr" &&
      !operators.has(kind.value.function) &&
      !functions.find(kind.value.function)
    )
      report(expression, `unknown function ${kind.value.function}`);
    if (kind.case === "constExpr") {
      const { case: type, value } = kind.value.constantKind;
      if (type === "int64Value" && BigInt.asIntN(64, value) !== value)
        report(expression, `${value} is beyond what an int holds (64 bits)`);
      if (type === "uint64Value" && BigInt.asUintN(64, value) !== value)
        report(expression, `${value}u is beyond what a uint holds (64 bits)`);
    }
    for (const [child, names] of childrenOf(expression))
      visit(child, names.length === 0 ? scope : new Set([...scope, ...names]), depth + 1);
  };
  visit(parsed.expr, new Set(variables), 1);
  return problems;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Parts of an expression, with the names that are known inside each. */
export function childrenOf(expression: Expression): [Expression, string[]][] {
  const kind = expression.exprKind;
  switch (kind.case) {
    case "selectExpr":
      return plain([kind.value.operand]);
    case "callExpr":
      return plain([kind.value.target, ...kind.value.args]);
    case "listExpr":
      return plain(kind.value.elements);
    case "structExpr":
      return plain(
        kind.value.entries.flatMap((entry) => [
          entry.keyKind.case === "mapKey" ? entry.keyKind.value : undefined,
          entry.value,
        ]),
      );
    case "comprehensionExpr": {
      const { iterRange, accuInit, loopCondition, loopStep, result, iterVar, iterVar2, accuVar } = kind.value;
      const inside = [iterVar, iterVar2, accuVar];
      return [
        ...plain([iterRange, accuInit]),
        ...plain([loopCondition, loopStep, result]).map(([part]): [Expression, string[]] => [part, inside]),
      ];
    }
    case "constExpr":
    case "identExpr":
    case undefined:
      return [];
  }
}

function plain(parts: readonly (Expression | undefined)[]): [Expression, string[]][] {
  return parts.filter((part) => part !== undefined).map((part) => [part, []]);
}

export function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
