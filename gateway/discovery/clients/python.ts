import { type NamedMethod, pythonKeywords, type Schema, type Surface, snakeCase } from "#protos/surface";
import { grouped, messagesOf, namedMethods } from "./surface.ts";

/** The generated half of the Python client, from `protos/gen/surface.json`; a test compares it. */
export function pythonFiles(surface: Surface): Readonly<Record<string, string>> {
  const methods = namedMethods(surface);
  return {
    "_methods.py": methodsPy(surface, methods),
    "_types.py": typesPy(surface, methods),
    "_modules.py": modulesPy(surface, methods),
  };
}

const head = "# Written by `npm run contract:build` from protos/gen/surface.json.\n";

/** What a call needs to know at run time. */
function methodsPy({ contract_sha256 }: Surface, methods: readonly NamedMethod[]): string {
  const rows = methods.map((method) => {
    const { verb, path, body } = method.rest;
    const { field, unitMs } = method.wait ?? {};
    const members = {
      id: method.id,
      verb,
      path,
      ...(body !== undefined && { body }),
      ...(method.repeat !== undefined && { repeat: method.repeat }),
      ...(method.envelope !== "data" && { envelope: method.envelope }),
      ...(method.page !== undefined && { items: method.page.items }),
      ...(method.headers !== undefined && { headers: method.headers }),
      ...(field !== undefined && { wait: [field, unitMs! / 1000] }),
      ...(method.raw && (method.kind === "client_streaming" ? { upload: true } : { download: true })),
    };
    const given = Object.entries(members).map(([name, value]) => `${name}=${literal(value)}`);
    return `        Method(${given.join(", ")}),\n`;
  });
  return `${head}"""How each method is called."""

from __future__ import annotations

import re
from dataclasses import dataclass

CONTRACT_SHA256 = ${literal(contract_sha256)}


@dataclass(frozen=True)
class Method:
    id: str
    verb: str
    path: str
    #: "*": the whole request; a field; None: there is none.
    body: str | None = None
    #: Why a repeat does no harm; None: it is sent once.
    repeat: str | None = None
    envelope: str = "data"
    items: str | None = None
    headers: tuple[str, ...] = ()
    #: The field that says how long the server waits, and its unit in seconds.
    wait: tuple[str, float] | None = None
    upload: bool = False
    download: bool = False

    @property
    def in_path(self) -> list[str]:
        return re.findall(r"{(\\w+)}", self.path)


METHODS: dict[str, Method] = {
    method.id: method
    for method in (
${rows.join("")}    )
}
`;
}

function typesPy(surface: Surface, methods: readonly NamedMethod[]): string {
  const asked = new Map(methods.map((method) => [method.request, method]));
  const roots = methods.flatMap(({ request, response }) => [request, response]);
  const types = messagesOf(surface, roots)
    .filter(isTyped)
    .map((name) => typedDict(name, surface.schemas[name]!, asked.get(name)));
  return `${head}"""Requests and answers. An answer's field that may be absent is left out when it is unset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    # At run time the annotations are texts that nobody reads.
    from typing_extensions import Required

${types.join("\n\n")}`;
}

/** The body of a google.api.HttpBody is what is answered. */
function isTyped(name: string): boolean {
  return name !== "HttpBody" && name !== "Any";
}

function typedDict(
  name: string,
  { properties = {}, required = [] }: Schema,
  method: NamedMethod | undefined,
): string {
  const fields = fieldsOf(properties, method);
  if (fields.length === 0) return `class ${name}(TypedDict, total=False):\n    pass\n`;
  const typed = fields.map(([field, schema]) => {
    const type = pythonType(schema);
    return [field, required.includes(field) ? `Required[${type}]` : type, schema.description] as const;
  });
  if (typed.some(([field]) => pythonKeywords.has(field))) {
    const members = typed.map(([field, type]) => `        ${literal(field)}: ${literal(type)},\n`);
    return `${name} = TypedDict(\n    ${literal(name)},\n    {\n${members.join("")}    },\n    total=False,\n)\n`;
  }
  const members = typed.map(([field, type]) => `    ${field}: ${type}\n`);
  return `class ${name}(TypedDict, total=False):\n${members.join("")}`;
}

/** Fields under the names that REST has for them. */
function fieldsOf(
  properties: Readonly<Record<string, Schema>>,
  method: NamedMethod | undefined,
): [string, Schema][] {
  const fields = Object.entries(properties);
  if (method === undefined) return fields;
  const text: Schema = { type: "string" };
  return [
    ...fields.flatMap(([name, schema]): [string, Schema][] => {
      if (method.page !== undefined && name === "page_size") return [["limit", schema]];
      if (method.page !== undefined && name === "page_token") return [["cursor", schema]];
      if (method.rest?.verb === "PATCH" && name === "update_mask") return [];
      if (method.raw && name === "data") return [["data", { type: "bytes" }]];
      return [[name, schema]];
    }),
    ...(method.headers ?? []).map((header): [string, Schema] => [fieldOfHeader(header), text]),
  ];
}

/** \`X-Object-Receipt\` is \`object_receipt\`. */
function fieldOfHeader(header: string): string {
  return header.toLowerCase().replace(/^x-/, "").replaceAll("-", "_");
}

function pythonType({ $ref, type, enum: values, items, additionalProperties }: Schema): string {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (values !== undefined) return `Literal[${values.map(literal).join(", ")}]`;
  switch (type) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "bytes":
      return "bytes";
    case "array":
      return `list[${items === undefined ? "Any" : pythonType(items)}]`;
    case "object":
      return `dict[str, ${typeof additionalProperties === "object" ? pythonType(additionalProperties) : "Any"}]`;
    default:
      return "Any";
  }
}

function modulesPy({ schemas }: Surface, methods: readonly NamedMethod[]): string {
  const call = (isAsync: boolean) => (method: NamedMethod) => callOf(method, schemas, isAsync);
  const byGroup = grouped(methods);
  const alone = byGroup.get("") ?? [];
  const groups = [...byGroup.keys()].filter((group) => group !== "");
  const classes = groups.flatMap((group) => [
    classOf(pascal(group), "Transport", byGroup.get(group)!.map(call(false))),
    classOf(`Async${pascal(group)}`, "AsyncTransport", byGroup.get(group)!.map(call(true))),
  ]);
  const members = (prefix: string) =>
    groups
      .map((group) => `        self.${snakeCase(group)} = ${prefix}${pascal(group)}(transport)\n`)
      .join("");
  return `${head}"""One class for each group of calls. Names are those of the commands: \`pools set-enabled\` is \`pools.set_enabled\`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._call import CallOptions
from ._follow import AsyncEvents as AsyncServerEvents
from ._follow import Events as ServerEvents
from ._pages import AsyncPages, Pages
from ._transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _types as t

${classes.join("\n\n")}

class Modules:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
${members("")}${alone.map(call(false)).join("")}

class AsyncModules:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
${members("Async")}${alone.map(call(true)).join("")}`;
}

function classOf(name: string, transport: string, calls: readonly string[]): string {
  return `class ${name}:\n    def __init__(self, transport: ${transport}) -> None:\n        self._transport = transport\n${calls.join("")}`;
}

function callOf(method: NamedMethod, schemas: Surface["schemas"], isAsync: boolean): string {
  const { id, cli, request, response, comment } = method;
  const name = snakeCase(cli!.verb ?? cli!.group);
  const given = `self, options: CallOptions | None = None, /, **request: Unpack[t.${request}]`;
  const said = `        """${comment.split("\n")[0]!.replaceAll("\\", "\\\\").replaceAll('"""', "'''")}"""\n`;
  const prefix = isAsync ? "Async" : "";
  if (method.sse !== undefined)
    return `\n    def ${name}(${given}) -> ${prefix}ServerEvents:\n${said}        return ${prefix}ServerEvents(self._transport, ${literal(id)}, dict(request), options)\n`;
  if (method.page !== undefined)
    return `\n    def ${name}(${given}) -> ${prefix}Pages[${itemOf(method, schemas)}]:\n${said}        return ${prefix}Pages(self._transport, ${literal(id)}, options, dict(request))\n`;
  const type =
    method.raw && method.kind === "server_streaming" ? "bytes" : !isTyped(response) ? "Any" : `t.${response}`;
  return `\n    ${isAsync ? "async " : ""}def ${name}(${given}) -> ${type}:\n${said}        answer: ${type} = ${isAsync ? "await " : ""}self._transport.call(${literal(id)}, options, dict(request))\n        return answer\n`;
}

function itemOf({ response, page }: NamedMethod, schemas: Surface["schemas"]): string {
  const type = pythonType(schemas[response]!.properties![page!.items]!.items!);
  return /^[A-Z]\w*$/.test(type) && type !== "Any" ? `t.${type}` : type;
}

function pascal(name: string): string {
  return name.replaceAll(/(^|-)([a-z0-9])/g, (_match, _hyphen, letter: string) => letter.toUpperCase());
}

/** A literal of Python. */
function literal(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `(${value.map(literal).join(", ")}${value.length === 1 ? "," : ""})`;
  return String(value);
}
