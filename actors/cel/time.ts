import { childrenOf, type Expression } from "./check.ts";
import { become } from "./prepare.ts";

/** What an expression is whatever the item holds; `undefined`: that depends on the item. */
type Type = "now" | "timestamp" | "duration" | "number" | "text" | "bool" | "bytes" | "null" | "list" | "map";

/**
 * `now` is a number of milliseconds. Beside a timestamp or a duration, and before a method of timestamps, it is the timestamp of
 * that number: `now > timestamp(item.attributes.due)`, `now - duration("1h")`, `now.getHours("Europe/Berlin")`.
 */
export function nowAsTimestamp(expression: Expression, now = true): void {
  for (const [child, names] of childrenOf(expression)) nowAsTimestamp(child, now && !names.includes("now"));
  const { exprKind: kind } = expression;
  if (!now || kind.case !== "callExpr") return;
  const { function: name, target, args } = kind.value;
  if (target !== undefined && isNow(target) && calendar.has(name)) toTimestamp(target);
  if (!meets.has(name)) return;
  const types = args.map((part) => typeOf(part, now));
  if (types.includes("timestamp") || types.includes("duration"))
    for (const [index, part] of args.entries())
      if (isNow(part) && !(comparisons.has(name) && types[1 - index] === "duration")) toTimestamp(part);
}

/** Why a comparison fails or is false for every item; `undefined`: it may hold. */
export function neverComparable({ exprKind: kind }: Expression, now: boolean): string | undefined {
  if (kind.case !== "callExpr" || !comparisons.has(kind.value.function)) return undefined;
  const [left, right] = kind.value.args.map((part) => typeOf(part, now));
  if (left === undefined || right === undefined || left === right) return undefined;
  for (const [time, other] of [
    [left, right],
    [right, left],
  ] as const)
    if (Object.hasOwn(comparable, time) && !comparable[time]!.includes(other))
      return `${described[time]} cannot be compared with ${described[other]}`;
  return undefined;
}

const comparable: Readonly<Partial<Record<Type, readonly Type[]>>> = {
  now: ["number", "timestamp"],
  timestamp: ["now"],
  duration: [],
};
const described: Readonly<Record<Type, string>> = {
  now: "now (milliseconds, or a timestamp beside a timestamp)",
  timestamp: "a timestamp",
  duration: "a duration",
  number: "a number",
  text: "a string",
  bool: "true or false",
  bytes: "bytes",
  null: "null",
  list: "a list",
  map: "a map",
};

const comparisons = new Set(["_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_"]);
const meets = new Set([...comparisons, "_+_", "_-_"]);
export const calendar: ReadonlySet<string> = new Set(
  "getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds".split(
    " ",
  ),
);

/** Functions that answer one type, whatever they are given. */
const answers: Readonly<Record<string, Type>> = {
  timestamp: "timestamp",
  duration: "duration",
  int: "number",
  uint: "number",
  double: "number",
  size: "number",
  string: "text",
  bytes: "bytes",
  bool: "bool",
  "!_": "bool",
  "_&&_": "bool",
  "_||_": "bool",
  "@in": "bool",
};

function typeOf(expression: Expression, now: boolean): Type | undefined {
  const { exprKind: kind } = expression;
  switch (kind.case) {
    case "constExpr":
      return constants[kind.value.constantKind.case ?? ""];
    case "identExpr":
      return now && isNow(expression) ? "now" : undefined;
    case "listExpr":
      return "list";
    case "structExpr":
      return "map";
    case "callExpr": {
      const { function: name, args } = kind.value;
      if (name === "_+_" || name === "_-_")
        return sumType(name, typeOf(args[0]!, now), typeOf(args[1]!, now));
      if (comparisons.has(name)) return "bool";
      return calendar.has(name) ? "number" : Object.hasOwn(answers, name) ? answers[name] : undefined;
    }
    case "selectExpr":
    case "comprehensionExpr":
    case undefined:
      return undefined;
  }
}

function sumType(name: string, left: Type | undefined, right: Type | undefined): Type | undefined {
  const ofTime = (type: Type | undefined) => type === "timestamp" || type === "now";
  if (left === "now" && (right === "now" || right === "number")) return "number";
  if (name === "_-_" && ofTime(left) && ofTime(right)) return "duration";
  if (ofTime(left) && right === "duration") return "timestamp";
  if (left === "duration" && ofTime(right)) return "timestamp";
  return left === right ? left : undefined;
}

const constants: Readonly<Record<string, Type>> = {
  int64Value: "number",
  uint64Value: "number",
  doubleValue: "number",
  stringValue: "text",
  bytesValue: "bytes",
  boolValue: "bool",
  nullValue: "null",
};

function isNow({ exprKind }: Expression): boolean {
  return exprKind.case === "identExpr" && exprKind.value.name === "now";
}

function toTimestamp(now: Expression): void {
  become(now, "timestamp", [{ ...now }]);
}
