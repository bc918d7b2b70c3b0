import {
  type Fields,
  isDownload,
  isMap,
  isUpload,
  type NamedMethod,
  patchOf,
  restName,
  type Schema,
  type Surface,
  wordsOf,
} from "../surface/index.ts";
import type { SnippetOptions } from "./curl.ts";
import { entriesOf, json, literal, shellLine, shellWord, widthMax } from "./literal.ts";

type Schemas = Pick<Surface, "schemas">;

/** The call as a command of `service`. */
export function asCommand(
  { schemas }: Schemas,
  method: NamedMethod,
  request: Fields,
  { headers = {} }: SnippetOptions = {},
): string {
  const fields = new Map(
    Object.entries(schemas[method.request]?.properties ?? {}).map(([name, schema]) => [
      restName(method, name),
      resolved(schemas, schema),
    ]),
  );
  const given = entriesOf(patchOf(method, request));
  const placed = placedOf(method, fields, new Map(given));
  const rest = given.filter(([name]) => !(placed && method.cli.args.includes(name)));
  const words = placed ? [...wordsOf(method), ...placed.map(shellWord)] : ["api", method.id];
  const start = [`service ${words.join(" ")}`, ...headersOf(method, headers)];
  const flags = rest.map(([name, value]) => flagsOf(name, fields.get(name) ?? {}, value));
  const takesFile = method.rest.body !== undefined && !isUpload(method);
  if (flags.every((own) => own !== undefined)) {
    const groups = [...start, ...flags.flat()];
    if (!takesFile || groups.join(" ").length <= widthMax) return ended(method, shellLine(groups));
  }
  if (takesFile)
    return `${shellLine([...start, "-f -"])} <<'EOF'\n${literal(Object.fromEntries(rest), json)}\nEOF`;
  // A query is text whatever its fields are.
  const texts = rest.map(([name, value], at) => flags[at] ?? textFlags(name, value));
  const takesInput = rest.some(([, value]) => value === "-");
  return ended(method, `${takesInput ? "printf - | " : ""}${shellLine([...start, ...texts.flat()])}`);
}

function ended(method: NamedMethod, line: string): string {
  return isDownload(method) ? `${line} > object` : line;
}

function headersOf({ repeat }: NamedMethod, headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) =>
    repeat === "key" && name.toLowerCase() === "idempotency-key"
      ? flagOf(name.toLowerCase(), value)
      : `-H ${shellWord(`${name}: ${value}`)}`,
  );
}

const ulid = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";

/** The words by position; none where one of the fields cannot be one, or a name would be taken for an id. */
function placedOf(
  { cli, rest }: NamedMethod,
  fields: ReadonlyMap<string, Schema>,
  given: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  for (const [name, { ref, pattern = ulid }] of fields) {
    const value = given.get(name);
    if (ref !== undefined && typeof value === "string" && !new RegExp(pattern).test(value)) return undefined;
  }
  const words: string[] = [];
  let isEnded = false;
  for (const name of cli.args) {
    const value = given.get(name);
    if (value === undefined) {
      if (rest.path.includes(`{${name}}`)) return undefined;
      isEnded = true;
      continue;
    }
    const own = wordsIn(fields.get(name) ?? {}, value);
    if (isEnded || own === undefined) return undefined;
    words.push(...own);
  }
  return words;
}

function wordsIn({ type, items = {} }: Schema, value: unknown): readonly string[] | undefined {
  if (type !== "array") return isWord(type, value) ? [String(value)] : undefined;
  const isPlain = Array.isArray(value) && value.length > 0 && value.every((one) => isWord(items.type, one));
  return isPlain ? value.map(String) : undefined;
}

/** A text or a number that means only itself. */
function isWord(type: string | undefined, value: unknown): boolean {
  if (type === "string") return typeof value === "string" && /^[^-@[{\s\0][^\0]*$/.test(value);
  return (type === "integer" || type === "number") && typeof value === "number" && value >= 0;
}

/** The flags that set a field to exactly this value; undefined: there are none. */
function flagsOf(name: string, schema: Schema, value: unknown): readonly string[] | undefined {
  const { type, items = {}, format } = schema;
  switch (type) {
    case "string":
      if (typeof value !== "string" || value === "-" || value.includes("\0")) return undefined;
      // `+5m` is a time of the command line only.
      if (format === "date-time" && !/^\d/.test(value)) return undefined;
      return [flagOf(name, value.startsWith("@") ? `@${value}` : value)];
    case "integer":
    case "number":
      return typeof value === "number" ? [flagOf(name, String(value))] : undefined;
    case "boolean":
      return typeof value === "boolean" ? [`--${value ? "" : "no-"}${hyphened(name)}`] : undefined;
    case "array":
      if (!Array.isArray(value)) return undefined;
      return value.length > 0 && value.every((one) => isWord(items.type, one)) && items.format === undefined
        ? value.map((one) => flagOf(name, String(one)))
        : [flagOf(name, JSON.stringify(value))];
    default:
      if (value === null || (isMap(schema) && typeof value !== "object")) return undefined;
      return [flagOf(name, JSON.stringify(value))];
  }
}

function textFlags(name: string, value: unknown): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textFlags(name, one));
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return [`--${hyphened(name)}=${shellWord(text.startsWith("@") ? `@${text}` : text)}`];
}

/** With `=` a value that begins with a hyphen is none the less a value. */
function flagOf(name: string, value: string): string {
  return `--${hyphened(name)}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}

function hyphened(name: string): string {
  return shellWord(name.replaceAll("_", "-"));
}

function resolved(schemas: Schemas["schemas"], schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...schemas[$ref.slice($ref.lastIndexOf("/") + 1)], ...own };
}
