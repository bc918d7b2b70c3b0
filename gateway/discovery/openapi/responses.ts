import { errorCodes, limits } from "#base";
import type { ContractMethod, RestBinding } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";
import { commentOf } from "../comments.ts";
import { isDownload, isTagged, isUpload, isVersioned, pathVariables } from "./parameters.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Every answer of one operation, the good one first. */
export function responsesOf(method: ContractMethod, binding: RestBinding, schemas: SchemaCollection): Schema {
  return {
    ...success(method, binding, schemas),
    ...unchanged(method, binding),
    ...problems(method, binding),
  };
}

function success(method: ContractMethod, binding: RestBinding, schemas: SchemaCollection): Schema {
  const content = contentOf(method, binding, schemas);
  const headers = headersNamed([
    ...goodAnswer,
    ...(isVersioned(method.descriptor.output) ? ["ETag"] : []),
    ...(method.idempotent ? ["Idempotent-Replayed"] : []),
    ...(method.sse === undefined ? [] : ["X-Accel-Buffering"]),
  ]);
  if (isDownload(method)) {
    const whole = { ...headers, ...headersNamed(bytesAnswer) };
    const part = { ...whole, ...headersNamed(["Content-Range"]) };
    return {
      200: { description: "The whole object.", headers: whole, content },
      206: { description: "The bytes that `Range` names.", headers: part, content },
    };
  }
  if (method.sse?.last !== undefined)
    return {
      200: { description: "The events, until the client leaves.", headers, content },
      204: { description: "A client that comes back has had everything: nothing follows.", headers },
    };
  if (method.creates === undefined) return { 200: { description: "Done.", headers, content } };
  return {
    201: { description: "Created.", headers: { ...headers, ...headersNamed(["Location"]) }, content },
    ...(admits(method)
      ? { 200: { description: "Another one stands for it; nothing was made.", headers, content } }
      : {}),
  };
}

function unchanged(method: ContractMethod, { verb }: RestBinding): Schema {
  if (!isTagged(method, verb)) return {};
  const headers = headersNamed([...goodAnswer, "ETag", ...(isDownload(method) ? ["Accept-Ranges"] : [])]);
  return { 304: { description: "Still what `If-None-Match` names.", headers } };
}

/** What a field of the request names may be missing, not only what the path does. A preview tells that in its answer. */
function namesSomething({ descriptor, governance }: ContractMethod): boolean {
  const names = ({ name }: { name: string }) => name.endsWith("_id") && name !== "tenant_id";
  return governance.action !== "preview" && descriptor.input.fields.some(names);
}

/** Such a create may meet what is there already: a duplicate, a debounced item, an open run. */
function admits({ descriptor }: ContractMethod): boolean {
  return descriptor.output.fields.some(
    ({ name }) => name === "admission" || name === "started" || name === "created",
  );
}

function contentOf(method: ContractMethod, binding: RestBinding, schemas: SchemaCollection): Schema {
  const { output } = method.descriptor;
  // What the object was prepared with, or the first where that said nothing.
  if (isDownload(method)) return { "application/octet-stream": { schema: bytes }, "*/*": { schema: bytes } };
  if (method.sse !== undefined)
    return { "text/event-stream": { schema: { type: "string" }, "x-event-data": schemas.refer(output) } };
  if (output.typeName === "google.api.HttpBody")
    return method.mediaType === undefined
      ? { "application/octet-stream": { schema: bytes } }
      : { [method.mediaType]: { schema: { type: "string" } } };
  if (method.pagination !== undefined) return json(listSchema(method, schemas));
  const answer =
    binding.responseBody === undefined
      ? schemas.refer(output)
      : schemas.fields(output).find((entry) => entry.field.name === binding.responseBody)!.schema;
  if (method.envelope === "none") return json(answer);
  return json({
    type: "object",
    properties: { data: answer, metadata: { $ref: "#/components/schemas/ResponseMetadata" } },
    required: ["data", "metadata"],
  });
}

function listSchema({ descriptor, pagination }: ContractMethod, schemas: SchemaCollection): Schema {
  const { itemsField, convention } = pagination!;
  const fields = schemas.fields(descriptor.output);
  const { schema } = fields.find((entry) => entry.field.name === itemsField)!;
  const page: Record<string, Schema> =
    convention === "cursor"
      ? {
          next_cursor: { type: ["string", "null"], description: "Of the next page; null at the end." },
          total: {
            type: ["integer", "null"],
            description: "Exact for the filter; null where no counter knows.",
          },
          limit: { type: "integer" },
          offset: { type: "integer" },
          has_more: { type: "boolean" },
        }
      : { total: { type: "integer" }, page: { type: "integer" }, per_page: { type: "integer" } };
  // What a list tells besides its page goes along under its own name.
  const told = fields.filter(({ field: { name } }) => name !== itemsField && !pageFields.has(name));
  const others = told.map(({ field, schema }) => [field.name, { ...schema, description: commentOf(field) }]);
  return {
    type: "object",
    properties: {
      data: schema,
      ...page,
      ...Object.fromEntries(others),
      metadata: { $ref: "#/components/schemas/ResponseMetadata" },
    },
    required: [
      "data",
      ...Object.keys(page),
      ...told.filter(({ zero }) => zero !== undefined).map(({ field }) => field.name),
      "metadata",
    ],
  };
}

const pageFields = new Set(["next_page_token", "total", "page", "per_page"]);

function json(schema: Schema): Schema {
  return { "application/json": { schema } };
}

function problems(method: ContractMethod, binding: RestBinding): Schema {
  const { authenticationRequired, authorizationRequired } = method.governance;
  const changes = method.idempotent || !method.readOnly;
  const statuses = [
    400,
    ...(authenticationRequired ? [401] : []),
    ...(authorizationRequired ? [403] : []),
    ...(pathVariables(binding.template).length > 0 || namesSomething(method) ? [404] : []),
    ...(method.sse === undefined ? [] : [406]),
    ...(method.sse !== undefined || hasCursorOfRecords(method) ? [410] : []),
    ...(isTagged(method, binding.verb) ? [412] : method.sse === undefined && changes ? [409, 412] : []),
    ...(binding.body === undefined ? [] : [413, 415]),
    ...(isUpload(method) ? [413] : []),
    ...(isDownload(method) ? [416] : []),
    ...(method.idempotent ? [422] : []),
    429,
    500,
    503,
    504,
  ];
  const named = Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
  return { ...named, default: { $ref: "#/components/responses/Problem" } };
}

/** Records before it may be gone. */
function hasCursorOfRecords({ descriptor }: ContractMethod): boolean {
  return descriptor.input.fields.some(({ name }) => name === "after_sequence");
}

/** One response per HTTP status of the error table, with the codes that have it. */
export function problemResponses(): Record<string, Schema> {
  const responses: Record<string, Schema> = { Problem: problemResponse("Any other error.", []) };
  for (const status of new Set(Object.values(errorCodes).map(({ http }) => http))) {
    const codes = Object.entries(errorCodes).filter(([, { http }]) => http === status);
    const titles = codes.map(([code, { title }]) => `\`${code}\` (${title.toLowerCase()})`);
    responses[status] = problemResponse(`${titles.join(", ")}.`, extraHeaders(status));
  }
  return responses;
}

function problemResponse(description: string, headers: readonly string[]): Schema {
  return {
    description,
    headers: headersNamed(["X-Request-ID", ...headers]),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

function extraHeaders(status: number): readonly string[] {
  switch (status) {
    case 401:
      return ["WWW-Authenticate"];
    case 405:
      return ["Allow"];
    case 415:
      return ["Accept-Encoding", ...rateLimit];
    case 416:
      return ["Content-Range", ...rateLimit];
    case 429:
    case 503:
      return ["Retry-After", ...rateLimit];
    default:
      return rateLimit;
  }
}

/** Where a limit is counted, every answer after that says what is left. */
const rateLimit = ["X-RateLimit-Limit", "X-RateLimit-Remaining"];
const goodAnswer = ["Api-Version", "X-Request-ID", "Content-Encoding", "Vary", ...rateLimit];

/** Of an object. */
const bytesAnswer = "ETag Accept-Ranges Content-Length Content-Disposition X-Content-Type-Options".split(" ");
export const bytes: Schema = { type: "string", format: "binary" };

function headersNamed(names: readonly string[]): Schema {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name.replaceAll("-", "")}` }]),
  );
}

const header = (description: string, schema: Schema = { type: "string" }): Schema => ({
  description,
  schema,
});

export const sharedHeaders: Readonly<Record<string, Schema>> = {
  ApiVersion: header("The version this answer has.", { type: "string", format: "date" }),
  XRequestID: header("Names this request in our logs."),
  IdempotentReplayed: header("`true`: the stored answer of an earlier request."),
  ETag: header(
    "Begins with the `record_version`, or is the digest of an object: `If-Match` takes it for a change, `If-None-Match` for a read.",
  ),
  AcceptRanges: header("`bytes`: `Range` is taken."),
  ContentRange: header("`bytes <first>-<last>/<size>`; of a 416 `bytes */<size>`."),
  ContentLength: header("Bytes of the body; also of `HEAD`.", { type: "integer" }),
  ContentDisposition: header("`attachment`: no browser shows the bytes as a page."),
  XAccelBuffering: header("`no`: a proxy sends on every event at once."),
  XContentTypeOptions: header("`nosniff`."),
  AcceptEncoding: header("The codings a body may have, where its `Content-Encoding` was the problem."),
  ContentEncoding: header(
    `\`gzip\`: \`Accept-Encoding\` takes it, and the body has ${limits.gzipBytesMin} bytes or more.`,
  ),
  Vary: header("The headers of the request that decide what is sent: `Accept-Encoding`, `Origin`."),
  Allow: header("The verbs this path has."),
  Location: header("Path of the new resource."),
  RetryAfter: header("Seconds to wait.", { type: "integer", minimum: 1 }),
  XRateLimitLimit: header("Tokens of a full bucket.", { type: "integer" }),
  XRateLimitRemaining: header("Tokens left.", { type: "integer" }),
  WWWAuthenticate: header("The ways to authenticate."),
};

export const sharedSchemas: Readonly<Record<string, Schema>> = {
  ResponseMetadata: {
    type: "object",
    properties: {
      request_id: { type: "string" },
      api_version: { type: "string", format: "date" },
      idempotent_replay: { type: "boolean", description: "True: the stored answer of an earlier request." },
    },
    required: ["request_id", "api_version"],
  },
  Problem: {
    type: "object",
    description: "An RFC 9457 problem. Branch on `errorCode`; title and detail may change.",
    properties: {
      type: { type: "string", format: "uri-reference", description: "A page that explains the code." },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      errorCode: { type: "string", enum: Object.keys(errorCodes) },
      retryable: { type: "boolean", description: "Whether the same request may succeed later." },
      reason: { type: "string", description: "Narrows the code." },
      errors: {
        type: "array",
        maxItems: limits.fieldErrorsMax,
        items: {
          type: "object",
          properties: {
            field: { type: "string", description: "Its path, for example `config.backoff.max_ms`." },
            reason: { type: "string" },
          },
          required: ["field", "reason"],
        },
      },
      retry_after_ms: { type: "integer" },
      explanation: {
        type: "array",
        maxItems: limits.explainedMax,
        description:
          "Of a route with `explain` that found no recipient: why each recipient of the pool was out.",
        items: { $ref: "#/components/schemas/CandidateExplanation" },
      },
      explanation_left_out: { type: "integer", description: "Recipients that are not in the explanation." },
      request_id: { type: "string", description: "Names this request in our logs." },
    },
    required: ["type", "title", "status", "detail", "errorCode", "retryable", "request_id"],
  },
};
