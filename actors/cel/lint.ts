import { booleanProblems } from "./boolean.ts";
import { childrenOf, type Expression, type Parsed, placeOf } from "./check.ts";
import type { CelProblem } from "./problem.ts";
import { neverComparable } from "./time.ts";

/** What an expression is for. */
export type Purpose = "condition" | "key";

/** What compiles and yet would fail on every item, or never match: better said when it is written than counted later. */
export function lint(
  source: string,
  parsed: Parsed,
  purpose: Purpose,
  badPattern: (pattern: string) => string | undefined,
): CelProblem[] {
  const problems: CelProblem[] = [];
  const report = (at: Expression, reason: string) => {
    const offset = parsed.sourceInfo?.positions[String(at.id)] ?? 0;
    // The parser puts an operator where the space before it begins.
    const space = /^\s*/.exec(source.slice(offset))![0].length;
    problems.push({ ...placeOf(source, offset + space), reason });
  };
  const visit = (expression: Expression, ours: readonly (keyof typeof known)[]): void => {
    for (const name of ours) {
      const field = fieldOf(name, expression);
      if (field !== undefined && !known[name].fields.includes(field))
        report(expression, `${name} has no ${field}: ${known[name].what}`);
    }
    const pattern = patternOf(expression);
    const bad = pattern === undefined ? undefined : badPattern(pattern);
    if (bad !== undefined) report(expression, bad);
    const incomparable = neverComparable(expression, ours.includes("now"));
    if (incomparable !== undefined) report(expression, incomparable);
    for (const [child, names] of childrenOf(expression)) {
      const left = ours.filter((name) => !names.includes(name));
      visit(child, left);
    }
  };
  visit(parsed.expr, ["item", "tenant", "now"]);
  if (problems.length > 0) return problems;
  if (purpose === "condition") return booleanProblems(source, parsed, isOther);
  return isNeverKey(parsed.expr)
    ? [{ line: 1, column: 1, reason: "is never a string, a number or a boolean" }]
    : [];
}

const itemFields = ["key", "attributes", "payload", "priority", "cost"];
/** The names that an expression begins with, and what may follow them. */
const known = {
  item: { fields: itemFields, what: `there are ${itemFields.join(", ")}` },
  tenant: { fields: [] as string[], what: "it is the tenant's id" },
  now: { fields: [] as string[], what: "it is a number of milliseconds" },
};

/** `name.field`, also inside `has`. */
function fieldOf(name: string, { exprKind }: Expression): string | undefined {
  if (exprKind.case !== "selectExpr") return undefined;
  const operand = exprKind.value.operand?.exprKind;
  return operand?.case === "identExpr" && operand.value.name === name ? exprKind.value.field : undefined;
}

/** The regular expression of a `matches`, where it is written out. */
function patternOf({ exprKind }: Expression): string | undefined {
  if (exprKind.case !== "callExpr" || exprKind.value.function !== "matches") return undefined;
  const pattern = exprKind.value.args.at(-1)?.exprKind;
  if (pattern?.case !== "constExpr" || pattern.value.constantKind.case !== "stringValue") return undefined;
  return pattern.value.constantKind.value;
}

const notScalarFields = new Set(["attributes"]);
const notBooleanFields = new Set(["key", "attributes", "priority", "cost"]);

/** None of the names is a boolean itself. */
function isOther(leaf: Expression): boolean {
  return leaf.exprKind.case === "identExpr" || notBooleanFields.has(fieldOf("item", leaf) ?? "");
}

/** As far as can be told without an item: both branches of a choice have to be so. */
function isNeverKey(expression: Expression): boolean {
  const { exprKind } = expression;
  switch (exprKind.case) {
    case "listExpr":
    case "structExpr":
      return true;
    case "identExpr":
      return exprKind.value.name === "item";
    case "selectExpr":
      return !exprKind.value.testOnly && notScalarFields.has(fieldOf("item", expression) ?? "");
    case "callExpr":
      return exprKind.value.function === "_?_:_" && exprKind.value.args.slice(1).every(isNeverKey);
    default:
      return false;
  }
}
