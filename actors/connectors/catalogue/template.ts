import { limits } from "#base";
import { type CelBindings, CelEnvironment } from "../../cel/environment.ts";

/** What expressions of a catalogue file see, by where they stand. */
export const environments = {
  request: new CelEnvironment({ input: "dyn", config: "dyn", now: "int" }),
  response: new CelEnvironment({ input: "dyn", config: "dyn", now: "int", response: "dyn" }),
  apply: new CelEnvironment({ config: "dyn", credential: "dyn", now: "int" }),
  event: new CelEnvironment({ event: "dyn", headers: "dyn" }),
  filter: new CelEnvironment({ event: "dyn", type: "string" }),
} as const;

export type Place = keyof typeof environments;

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export interface Rendering {
  readonly place: Place;
  /** Of CEL; made when an expression first needs them. */
  readonly bindings: () => CelBindings;
  readonly values: Readonly<Record<string, unknown>>;
  /** Of the values inside a text. */
  readonly encode?: (text: string) => string;
}

export function rendering(place: Place, values: Readonly<Record<string, unknown>>): Rendering {
  let bindings: CelBindings | undefined;
  return {
    place,
    values,
    bindings() {
      bindings ??= environments[place].bind(values);
      return bindings;
    },
  };
}

/**
 * Expressions inside `${…}` become their values: a text that is one expression its value as it is, any other text. A member of
 * an object whose value is null is left out. Throws a TemplateError.
 */
export function render(template: unknown, at: Rendering): unknown {
  if (typeof template === "string") return renderText(template, at);
  if (Array.isArray(template)) return template.map((element) => render(element, at));
  if (typeof template !== "object" || template === null) return template;
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(template)) {
    const made = render(value, at);
    if (made !== null) members.push([name, made]);
  }
  return Object.fromEntries(members);
}

export function evaluate(source: string, { place, bindings, values }: Rendering): unknown {
  const member = memberOf(source, values);
  if (member !== undefined) return member;
  const result = environments[place].evaluate(source, bindings());
  if ("error" in result) throw new TemplateError(`${source}: ${result.error}`);
  return result.value;
}

/** A path of members is the value itself, whole: CEL sees only so much of a large one. */
function memberOf(source: string, values: Readonly<Record<string, unknown>>): unknown {
  let value: unknown = values;
  for (const name of known(paths, source, pathOf)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value === values ? undefined : value;
}

/** Empty: not a path. */
function pathOf(source: string): readonly string[] {
  return /^[a-z]\w*(\.[A-Za-z_]\w*)*$/.test(source) && source !== "now" ? source.split(".") : [];
}

/** The texts of catalogue files, read once. */
const templates = new Map<string, readonly Part[]>();
const paths = new Map<string, readonly string[]>();

function known<T>(cache: Map<string, T>, text: string, read: (text: string) => T): T {
  let found = cache.get(text);
  if (found === undefined) {
    found = read(text);
    if (cache.size >= limits.celCacheMax) cache.clear();
    cache.set(text, found);
  }
  return found;
}

function renderText(template: string, at: Rendering): unknown {
  const parts = known(templates, template, partsOf);
  if (parts.length === 1 && typeof parts[0] === "object") {
    const value = evaluate(parts[0].source, at);
    return at.encode && value !== null ? at.encode(textOf(value)) : value;
  }
  const { encode = (text: string) => text } = at;
  return parts
    .map((part) => (typeof part === "string" ? part : encode(textOf(evaluate(part.source, at)))))
    .join("");
}

function textOf(value: unknown): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

type Part = string | { readonly source: string };

/** Text and expressions in turn. Throws a TemplateError where an expression does not end. */
export function partsOf(template: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let start = template.indexOf("${"); start >= 0; start = template.indexOf("${", from)) {
    const end = endOf(template, start + 2);
    if (start > from) parts.push(template.slice(from, start));
    parts.push({ source: template.slice(start + 2, end) });
    from = end + 1;
  }
  if (from < template.length) parts.push(template.slice(from));
  return parts;
}

/** Where the brace closes that opened before `from`; braces and quotes inside the expression are its own. */
function endOf(template: string, from: number): number {
  let depth = 1;
  for (let at = from; at < template.length; at++) {
    const character = template[at]!;
    if (character === '"' || character === "'") at = closingQuote(template, at);
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at;
  }
  throw new TemplateError(`an expression does not end: ${template.slice(from - 2)}`);
}

function closingQuote(template: string, from: number): number {
  for (let at = from + 1; at < template.length; at++) {
    if (template[at] === "\\") at++;
    else if (template[at] === template[from]) return at;
  }
  return template.length;
}
