import type { CelBindings, CelEnvironment } from "./environment.ts";

/** A text with `${CEL}` in it; `$${` is a `${` that means itself. */
export type Part =
  | { readonly text: string }
  | { readonly source: string /** Where the expression begins in the text. */; readonly offset: number };

/** The parts of a text; `unclosed` where a `${` has no end. */
export function partsOf(text: string): readonly Part[] | { readonly unclosed: number } {
  const parts: Part[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("$${", at)) {
      plain += "${";
      at += 3;
    } else if (text.startsWith("${", at)) {
      const end = endOf(text, at + 2);
      if (end === undefined) return { unclosed: at };
      if (plain !== "") parts.push({ text: plain });
      plain = "";
      parts.push({ source: text.slice(at + 2, end), offset: at + 2 });
      at = end + 1;
    } else plain += text[at++];
  }
  if (plain !== "") parts.push({ text: plain });
  return parts;
}

/** Whether a text has any expression; one that is not closed counts. */
export function hasExpression(text: string): boolean {
  const parts = partsOf(text);
  return "unclosed" in parts || parts.some((part) => "source" in part);
}

/** Whether a text is one expression and nothing else. */
export function isOneExpression(text: string): boolean {
  const parts = partsOf(text);
  return !("unclosed" in parts) && parts.length === 1 && "source" in parts[0]!;
}

/** The brace that ends an expression: not one inside a text or a map. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' || character === "'") {
      const end = endOfText(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (character === "{") depth++;
    else if (character === "}" && depth-- === 0) return at;
  }
  return undefined;
}

function endOfText(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[from]) return at;
  }
  return undefined;
}

/** An expression in a template has no value, or what was made of the template cannot be used. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export interface Filling {
  /** The value of an expression. Throws a TemplateError where it has none. */
  readonly evaluate: (source: string) => unknown;
  /** Of the values inside a text. */
  readonly encode?: (text: string) => string;
  /** A member of an object whose value is null is left out. */
  readonly dropsNull?: boolean;
}

/** A value with every template in it filled in. A text that is one expression becomes what that is, of any type. */
export function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === "string") return fillText(value, filling);
  if (Array.isArray(value)) return value.map((element) => fill(element, filling));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, fill(member, filling)] as const);
  return Object.fromEntries(filling.dropsNull ? members.filter(([, made]) => made !== null) : members);
}

function fillText(text: string, { evaluate, encode }: Filling): unknown {
  if (!text.includes("${")) return text;
  const parts = partsOf(text);
  if ("unclosed" in parts) return text;
  const [only] = parts;
  if (parts.length === 1 && only && "source" in only) {
    const value = evaluate(only.source);
    return encode === undefined || value === null ? value : encode(textOf(value));
  }
  const encoded = (value: unknown) => encode?.(textOf(value)) ?? textOf(value);
  return parts.map((part) => ("text" in part ? part.text : encoded(evaluate(part.source)))).join("");
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** As `fill`, by the expressions of one environment. */
export function fillBy(
  value: unknown,
  environment: CelEnvironment,
  bindings: () => CelBindings,
): { readonly value: unknown } | { readonly error: string } {
  const evaluate = (source: string) => {
    const result = environment.evaluate(source, bindings());
    if ("value" in result) return result.value;
    throw new TemplateError(`\${${source}}: ${result.error}`);
  };
  try {
    return { value: fill(value, { evaluate }) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.message };
    throw error;
  }
}
