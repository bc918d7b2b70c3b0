import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { limits } from "#base";
import { currentApiVersion, minimumApiVersion } from "../../calls/stages/api-version.ts";
import type { ContractMethod, RestBinding } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";
import { commentOf } from "../comments.ts";
import { isRequired, type SchemaCollection } from "./schemas.ts";

/** Where a REST binding finds the fields of its request: path, query, headers. The body has the rest. */
export function parametersOf(
  method: ContractMethod,
  binding: RestBinding,
  schemas: SchemaCollection,
): Schema[] {
  const inPath = pathVariables(binding.template);
  const { input } = method.descriptor;
  const query = queryFields(method, binding, inPath);
  return [
    ...inPath.map((name) => pathParameter(input, name, schemas)),
    ...pageParameters(method),
    ...query.flatMap((field) => queryParameters(input, field, schemas)),
    ...headerParameters(method, binding),
  ];
}

export function pathVariables(template: string): string[] {
  return [...template.matchAll(/\{([^}=]+)[^}]*\}/g)].map(([, name]) => name!);
}

/** Fields of the request that stand for a page in RPC and have other names in REST. */
const pageFields = new Set(["page_size", "page_token", "offset", "page", "per_page"]);

function queryFields(method: ContractMethod, binding: RestBinding, inPath: readonly string[]): DescField[] {
  // Raw bytes: what is not in the path is in headers.
  if (binding.body === "*" || method.raw !== undefined) return [];
  return method.descriptor.input.fields.filter(
    ({ name }) =>
      name !== binding.body &&
      !inPath.includes(name) &&
      !(method.pagination !== undefined && pageFields.has(name)),
  );
}

function pathParameter(input: DescMessage, name: string, schemas: SchemaCollection): Schema {
  const { field, schema } = schemas.fields(input).find((entry) => entry.field.name === name)!;
  return { name, in: "path", required: true, schema, ...described(field) };
}

function queryParameters(
  input: DescMessage,
  field: DescField,
  schemas: SchemaCollection,
  prefix = "",
): Schema[] {
  const entry = schemas.fields(input).find((candidate) => candidate.field === field)!;
  const name = prefix + field.name;
  const { shape } = entry.plan;
  const { message } = field;
  if (shape === "map" || (shape === "list" && message !== undefined)) return [];
  if (message !== undefined && typeof entry.schema.$ref === "string") {
    // A message inside a query is written with dots; one that contains itself would never end.
    if (prefix !== "") return [];
    return message.fields.flatMap((inner) => queryParameters(message, inner, schemas, `${name}.`));
  }
  return [
    {
      name,
      in: "query",
      ...(isRequired(entry) ? { required: true } : {}),
      schema: entry.schema,
      ...described(field),
    },
  ];
}

function described(field: DescField): Schema {
  const description = commentOf(field);
  return {
    ...(description === "" ? {} : { description }),
    ...(field.deprecated ? { deprecated: true } : {}),
  };
}

function pageParameters({ pagination }: ContractMethod): Schema[] {
  switch (pagination?.convention) {
    case undefined:
      return [];
    case "cursor":
      return ["Limit", "Cursor", "Offset"].map(shared);
    case "page":
      return ["Page", "PerPage"].map(shared);
  }
}

/** A record: its ETag begins with its version. */
export function isVersioned({ fields }: DescMessage): boolean {
  return fields.some(({ name }) => name === "record_version");
}

/** Its answer is the bytes of an object, which has a digest. */
export function isDownload({ raw, kind }: ContractMethod): boolean {
  return raw !== undefined && kind === "server_streaming";
}

export function isUpload({ raw, kind }: ContractMethod): boolean {
  return raw !== undefined && kind === "client_streaming";
}

/** A read whose answer has an ETag. */
export function isTagged(method: ContractMethod, verb: RestBinding["verb"]): boolean {
  return verb === "GET" && (isVersioned(method.descriptor.output) || isDownload(method));
}

function headerParameters(method: ContractMethod, { verb }: RestBinding): Schema[] {
  const { input } = method.descriptor;
  return [
    ...(isVersioned(input) || isTagged(method, verb) ? [shared("IfMatch")] : []),
    ...(isTagged(method, verb) ? [shared("IfNoneMatch")] : []),
    ...(isDownload(method) ? ["Range", "IfRange"].map(shared) : []),
    ...method.headers.map((name) => shared(name.replaceAll("-", ""))),
    ...(method.idempotent ? [shared("IdempotencyKey")] : []),
    ...(method.sse?.resume === undefined ? [] : [shared("LastEventId")]),
    shared("ApiVersion"),
    shared("RequestId"),
    ...(method.governance.authenticationRequired ? [shared("TenantId"), shared("Environment")] : []),
  ];
}

function shared(name: string): Schema {
  return { $ref: `#/components/parameters/${name}` };
}

/** A parameter that several operations refer to; a text where nothing else is said. */
function shares(place: "header" | "query") {
  return (name: string, description: string, schema: Schema = { type: "string" }, more?: Schema): Schema => ({
    name,
    in: place,
    ...more,
    description,
    schema,
  });
}

const header = shares("header");
const query = shares("query");

export const sharedParameters: Readonly<Record<string, Schema>> = {
  LastEventId: header(
    "Last-Event-ID",
    "The id of the last event that was handled; wins over the query. An EventSource sends it by itself.",
  ),
  Limit: query(
    "limit",
    `Items of a page. Not positive: ${limits.pageSizeDefault}; more than ${limits.pageSizeMax}: ${limits.pageSizeMax}.`,
    { type: "integer", default: limits.pageSizeDefault },
  ),
  Cursor: query(
    "cursor",
    "`next_cursor` of the page before. Opaque, and good for the same tenant and filter only.",
  ),
  Offset: query("offset", "Skips this many items. Not together with `cursor`.", {
    type: "integer",
    default: 0,
    maximum: limits.pageOffsetMax,
  }),
  Page: { name: "page", in: "query", schema: { type: "integer", default: 1 } },
  PerPage: { name: "per_page", in: "query", schema: { type: "integer", default: limits.pageSizeDefault } },
  IdempotencyKey: header(
    "Idempotency-Key",
    "The same key and body again get the stored answer instead of a second effect; kept 24 hours.",
    { type: "string", minLength: 1, maxLength: limits.idempotencyKeyLengthMax },
  ),
  IfMatch: header(
    "If-Match",
    "The ETag of what was read, a list of them, or `*`. Of a record only the version in front is compared; weak tags never match. What has another is neither changed nor answered: 412.",
    { type: "string", examples: ['"7"'] },
  ),
  IfNoneMatch: header(
    "If-None-Match",
    "The ETag of what was read, a list of them, or `*`: 304 while one of them is the same.",
  ),
  Range: header(
    "Range",
    "One range of bytes, such as `bytes=0-499`, `bytes=500-` or `bytes=-500`: 206. One that begins beyond the end is 416; several, and other units, are passed over.",
  ),
  IfRange: header(
    "If-Range",
    "The ETag that the range was reckoned for; the whole object is sent where it has another.",
  ),
  XObjectReceipt: header(
    "X-Object-Receipt",
    "`authorization_receipt` of the answer to the prepare; anything else is 403.",
    { type: "string" },
    { required: true },
  ),
  // Not `format: date`: generators turn that into a type of their own, and not all of them write it back into a header.
  ApiVersion: header(
    "Api-Version",
    `The version the caller was written for, from ${minimumApiVersion} to ${currentApiVersion}; any other is 400. Absent: ${currentApiVersion}.`,
    { type: "string", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", default: currentApiVersion },
  ),
  RequestId: header(
    "X-Request-ID",
    "Yours where it has 1 to 128 of the characters `A-Z a-z 0-9 . _ : / + = @ -`; otherwise one is made. The answer carries it.",
  ),
  Environment: header(
    "X-Environment",
    "The environment a new pool belongs to, production where absent; elsewhere, where given, it must be that of what is asked for.",
  ),
  TenantId: header(
    "X-Tenant-ID",
    "Must name the tenant of the credentials; platform principals select one with it.",
  ),
};
