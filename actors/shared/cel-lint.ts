import { childrenOf, type Expression, type Parsed, placeOf } from "./cel-check.ts";
import type { CelProblem } from "./cel-problem.ts";
import { neverComparable } from "./cel-time.ts";

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
  if (purpose === "condition" && isNever(parsed.expr, notBoolean))
    problems.push({ ...start, reason: "is never true or false, so it would never match" });
  if (purpose === "key" && isNever(parsed.expr, notScalar))
    problems.push({ ...start, reason: "is never a string, a number or a boolean" });
  return problems;
}

const start = { line: 1, column: 1 };
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

/** As far as can be told without an item: both branches of a choice have to be so. */
function isNever(expression: Expression, never: (expression: Expression) => boolean): boolean {
  const { exprKind } = expression;
  if (exprKind.case !== "callExpr" || exprKind.value.function !== "_?_:_") return never(expression);
  return exprKind.value.args.slice(1).every((branch) => isNever(branch, never));
}

const notScalarFields = new Set(["attributes"]);
const notBooleanFields = new Set(["key", "attributes", "priority", "cost"]);
const notBooleanCalls = new Set(
  "_+_ _-_ _*_ _/_ _%_ -_ size int uint double string bytes type duration timestamp".split(" "),
);

function notBoolean(expression: Expression): boolean {
  const { exprKind } = expression;
  switch (exprKind.case) {
    case "constExpr":
      return exprKind.value.constantKind.case !== "boolValue";
    case "identExpr":
      return true;
    case "callExpr":
      return notBooleanCalls.has(exprKind.value.function);
    case "selectExpr":
      return !exprKind.value.testOnly && notBooleanFields.has(fieldOf("item", expression) ?? "");
    default:
      return notScalar(expression);
  }
}

function notScalar(expression: Expression): boolean {
  const { exprKind } = expression;
  switch (exprKind.case) {
    case "listExpr":
    case "structExpr":
      return true;
    case "identExpr":
      return exprKind.value.name === "item";
    case "selectExpr":
      return !exprKind.value.testOnly && notScalarFields.has(fieldOf("item", expression) ?? "");
    default:
      return false;
  }
}
