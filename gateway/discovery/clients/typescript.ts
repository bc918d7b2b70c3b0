import { camelCase, type NamedMethod, type Schema, type Surface } from "#protos/surface";
import { grouped, messagesOf, namedMethods } from "./surface.ts";

/** `sdk/generated.ts`: the types of the TypeScript client, and a table of its methods, a line each. */
export function typescriptClient(surface: Surface): string {
  const methods = namedMethods(surface);
  const streams = surface.methods.filter(
    ({ plane, kind }) => plane === "external" && kind === "bidi_streaming",
  );
  const roots = [...methods, ...streams].flatMap(({ request, response }) => [request, response]);
  const updates = new Set(methods.filter(({ rest }) => rest.verb === "PATCH").map(({ request }) => request));
  const lists = new Set(methods.filter(({ page }) => page !== undefined).map(({ request }) => request));
  const groups = grouped(methods);
  return [
    "// Written by `npm run contract:build` from the contract.\n",
    'import type { Bytes } from "./fetch.ts";',
    'import type { List } from "./pages.ts";',
    'import type { CallOptions } from "./transport.ts";\n',
    `export const contractSha256 = "${surface.contract_sha256}";\n`,
    ...messagesOf(surface, roots)
      .filter((name) => name !== "HttpBody" && name !== "Any")
      .map((name) => interfaceOf(name, surface.schemas[name]!, updates.has(name), lists.has(name))),
    ...[...groups]
      .filter(([group]) => group !== "")
      .map(([group, members]) => moduleOf(surface, group, members)),
    modulesOf(surface, groups),
    `export interface Streams {\n${streams
      .map(
        ({ id, request, response }) =>
          `  "${id.replace(".", "/")}": { request: ${request}; response: ${response} };\n`,
      )
      .join("")}}\n`,
    `export const table = \`\n${methods.map(rowOf).join("\n")}\`;\n`,
  ].join("\n");
}

/** A merge patch takes null for "back to the default"; pages have the names of REST. */
function interfaceOf(name: string, schema: Schema, isUpdate: boolean, isList: boolean): string {
  const { properties = {}, required = [], description } = schema;
  const members = Object.entries(properties)
    .filter(([field]) => !(isUpdate && field === "update_mask") && !(isList && pageFields.includes(field)))
    .map(([field, property]) => {
      const optional = required.includes(field) ? "" : "?";
      const orNull = isUpdate && optional === "?" && field !== "record_version" ? " | null" : "";
      return `${comment(property.description, "  ")}  readonly ${field}${optional}: ${typeOf(property)}${orNull};\n`;
    });
  const page = isList ? pageMembers : "";
  return `${comment(description, "")}export interface ${name} {\n${members.join("")}${page}}\n`;
}

const pageFields = ["page_size", "page_token", "offset"];
const pageMembers = `  /** Items of a page. Default 50, at most 1,000. */
  readonly limit?: number;
  /** \`next_cursor\` of a page. */
  readonly cursor?: string;
  /** Skips so many, up to 10,000; not together with \`cursor\`. */
  readonly offset?: number;
`;

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly ${inBrackets(typeOf(schema.items ?? {}))}[]`;
    case "object":
      return `Readonly<Record<string, ${typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties) : "unknown"}>>`;
    default:
      return "unknown";
  }
}

function moduleOf(surface: Surface, group: string, methods: readonly NamedMethod[]): string {
  return `export interface ${moduleName(group)} {\n${methods.map((method) => signatureOf(surface, method)).join("")}}\n`;
}

/** Nothing of it is there at run time: the client makes the modules of the table. */
function modulesOf(surface: Surface, groups: ReadonlyMap<string, readonly NamedMethod[]>): string {
  const modules = [...groups.keys()].filter((group) => group !== "");
  const members = modules.map((group) => `  declare readonly ${camelCase(group)}: ${moduleName(group)};\n`);
  const single = (groups.get("") ?? []).map((method) => {
    const [name, ...rest] = signatureOf(surface, method).split("(");
    const [request, answer] = rest.join("(").split("): ");
    return `${name!.replace(/(\w+)$/, "declare readonly $1")}: (${request}) => ${answer}`;
  });
  return `/** All methods: those of one group are a module of the client. */
export class Modules {
${members.join("")}${single.join("")}}\n`;
}

function signatureOf(surface: Surface, method: NamedMethod): string {
  const { cli, request, comment: told, permissions = [] } = method;
  const needed =
    permissions.length === 0 ? "" : ` Needs ${permissions.map((one) => `\`${one}\``).join(", ")}.`;
  const deprecated = method.deprecated === true ? " @deprecated" : "";
  const schema = surface.schemas[request]!;
  const optional = (schema.required ?? []).length === 0 ? "?" : "";
  const data = method.raw === true && method.kind === "client_streaming" ? " & { readonly data: Bytes }" : "";
  const name = camelCase(cli.verb ?? cli.group);
  const text = comment(`${told}${needed}${deprecated}`, "  ");
  return `${text}  ${name}(request${optional}: ${request}${data}, options?: CallOptions): ${answerOf(surface, method)};\n`;
}

function answerOf(surface: Surface, { response, page, sse, raw, kind }: NamedMethod): string {
  const { properties = {} } = surface.schemas[response]!;
  if (page !== undefined) return `List<${typeOf(properties[page.items]?.items ?? {})}>`;
  if (sse !== undefined) return `AsyncIterable<${response}>`;
  if (raw === true && kind === "server_streaming") return "Promise<Uint8Array>";
  return `Promise<${response === "HttpBody" ? "string" : response}>`;
}

/** `pools.create POST /api/pools key`: name, address, repeat, and what differs from most. */
function rowOf(method: NamedMethod): string {
  const { cli, rest, repeat = "none", page, wait, sse, envelope, response, raw } = method;
  const name = [cli.group, ...(cli.verb === undefined ? [] : [cli.verb])].map(camelCase).join(".");
  const words = [name, rest.verb, rest.path, repeat === "no_effect" ? "read" : repeat];
  if (page !== undefined) words.push("list");
  if (raw === true) words.push("raw");
  if (response === "HttpBody") words.push("text");
  else if (envelope === "none") words.push("bare");
  if (sse !== undefined)
    words.push("events", ...(sse.data === undefined ? [] : [`data=${sse.data}`, `id=${sse.id}`]));
  if (sse?.last !== undefined) words.push(`last=${sse.last}`);
  if (wait !== undefined) words.push(`wait=${wait.field ?? ""}*${wait.unitMs ?? wait.ms}`);
  return words.join(" ");
}

function moduleName(group: string): string {
  const name = camelCase(group);
  return `${name[0]!.toUpperCase()}${name.slice(1)}Module`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

function inBrackets(type: string): string {
  return type.includes(" ") ? `(${type})` : type;
}
