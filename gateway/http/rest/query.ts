import type { DescMessage } from "@bufbuild/protobuf";
import { type FieldError, limits, refusalError, shortened } from "#base";
import { type FieldPlan, pathHint, planOf } from "../../contract/index.ts";

export type Parameters = readonly (readonly [name: string, value: string])[];

/** The query as it was sent, decoded; what is not UTF-8 is refused. */
export function parseQuery(query: string): Parameters {
  if (query === "") return none;
  const parameters: [string, string][] = [];
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const mark = pair.indexOf("=");
    const name = decode(mark < 0 ? pair : pair.slice(0, mark));
    parameters.push([name, mark < 0 ? "" : decode(pair.slice(mark + 1))]);
  }
  return parameters;
}

/** Puts parameters into a message by proto path (`filter.status`); unknown and repeated ones are refused by name. */
export function bindQuery(
  desc: DescMessage,
  message: Record<string, unknown>,
  parameters: Parameters,
  { fieldNameOf, names }: ParameterNames,
): void {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    const path = fieldNameOf(name);
    const plan = path === undefined ? undefined : findField(desc, path);
    if (path === undefined || plan === undefined)
      errors.push(unknownParameter(name, pathHint(desc, name, names())));
    else if (plan.shape !== "list" && seen.has(name))
      errors.push({ field: name, reason: "may be given once" });
    else put(message, path.split("."), plan, value);
    seen.add(name);
  }
  refuseIfAny(errors);
}

/** How parameters are called: a list has names of its own for its page. */
export interface ParameterNames {
  fieldNameOf(parameter: string): string | undefined;
  /** Without those inside messages. */
  names(): readonly string[];
}

export function unknownParameter(name: string, hint = ""): FieldError {
  return { field: name, reason: `is not a parameter of this method${hint}` };
}

export function refuseIfAny(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  // A caller may send thousands of names, each as long as the query.
  const told = errors
    .slice(0, limits.fieldErrorsMax)
    .map(({ field, reason }) => ({ field: shortened(field, limits.fieldPathLengthMax), reason }));
  const first = told[0]!;
  const detail = `${first.field} ${first.reason}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ""}`;
  throw refusalError("INVALID_ARGUMENT", detail, { fields: told });
}

/** Numbers stay text here: they are read when JSON becomes a message. */
export function scalarFromText({ element }: FieldPlan, text: string): unknown {
  if (element.type === "scalar" && element.scalar.plain === "boolean") {
    if (text === "true" || text === "") return true;
    if (text === "false") return false;
  }
  return text;
}

const none: Parameters = [];

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw refusalError("INVALID_ARGUMENT", "the query is not valid UTF-8");
  }
}

/** Scalars, enums, lists of them and the messages that are written as text; maps and other messages have no form here. */
function findField(desc: DescMessage, path: string): FieldPlan | undefined {
  let message: DescMessage | undefined = desc;
  let plan: FieldPlan | undefined;
  for (const name of path.split(".")) {
    plan = message && planOf(message).byName.get(name);
    if (plan === undefined) return undefined;
    message = plan.shape === "single" ? plan.field.message : undefined;
  }
  if (plan === undefined || plan.shape === "map") return undefined;
  const { message: written } = plan.field;
  return written === undefined || textual.has(written.typeName) ? plan : undefined;
}

const textual = new Set([
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
]);

function put(message: Record<string, unknown>, path: readonly string[], plan: FieldPlan, text: string): void {
  let target = message;
  for (const name of path.slice(0, -1)) {
    target[name] ??= {};
    target = target[name] as Record<string, unknown>;
  }
  const last = path.at(-1)!;
  const value = scalarFromText(plan, text);
  if (plan.shape !== "list") target[last] = value;
  else if (Array.isArray(target[last])) (target[last] as unknown[]).push(value);
  else target[last] = [value];
}
