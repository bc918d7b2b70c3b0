import { hash } from "node:crypto";
import { isObject } from "#base";
import type { HeaderPair } from "../../calls/answer-headers.ts";
import type { Call } from "../../calls/call.ts";
import { fillDefaults, type Print } from "../../contract/index.ts";
import type { HttpRequest, HttpResponse } from "../server.ts";
import type { RestCall } from "./bind.ts";
import { namedTag, tagsOf } from "./conditions.ts";
import type { Route } from "./routes.ts";

/** What a call came to, as REST says it. */
export function answerOf(asked: RestCall, message: Message, response: unknown): HttpResponse {
  const { route, call, request } = asked;
  const { method, binding } = route;
  const output = method.descriptor.output;
  const headers = headersOf(call, request);
  if (route.print !== undefined) return resourceOf(asked, route.print, message, response);
  if (output.typeName === "google.api.HttpBody") return rawAnswer(response, headers);
  fillDefaults(output, response);
  const filled = response as Message;
  const data = binding.responseBody === undefined ? filled : filled[binding.responseBody];
  if (method.envelope === "none") return json(200, headers, data);
  if (method.pagination !== undefined)
    return json(200, headers, listOf(method.pagination, call, message, filled));
  return json(200, headers, { data, metadata: metadataOf(call) });
}

/** The answer to most calls: one message in an envelope, printed as the entity made it. */
function resourceOf(
  { route, call, request }: RestCall,
  print: Print,
  message: Message,
  response: unknown,
): HttpResponse {
  const headers = call.responseHeaders.pairs;
  const resource = response as Message;
  const created = isCreated(route, resource);
  if (created) {
    const location = locationOf(route.method.creates, resource, message);
    if (location !== undefined) headers.push(["location", location]);
  }
  if (route.versioned) {
    const version = String(resource.record_version ?? 0);
    if (route.binding.verb === "GET") return readAnswer(version, print(response), call, request);
    headers.push(["etag", `"${version}"`]);
  }
  return printed(created ? 201 : 200, headers, print(response), call);
}

/** Much of what is read is live and moves without a new version: only the same text is confirmed. `If-Match` reads the version. */
function readAnswer(version: string, data: string, call: Call, request: HttpRequest): HttpResponse {
  const headers = call.responseHeaders.pairs;
  const tag = `"${version}-${hash("sha1", data, "base64url")}"`;
  const tags = tagsOf(request, "If-None-Match");
  const named = tags === undefined ? undefined : namedTag(tags, tag);
  headers.push(["etag", named ?? tag]);
  if (named !== undefined) return { status: 304, headers };
  return printed(200, headers, data, call);
}

type Pairs = HeaderPair[];
type Message = Record<string, unknown>;

const jsonType = ["content-type", "application/json"] as const;
/** The answers of this interface belong to one caller; a version tag may confirm them, nothing may reuse them. */
const privateOnly = ["cache-control", "private, no-cache"] as const;

function json(status: number, headers: Pairs, value: unknown): HttpResponse {
  headers.push(jsonType, privateOnly);
  return { status, headers, body: JSON.stringify(value) };
}

function printed(status: number, headers: Pairs, data: string, call: Call): HttpResponse {
  const replay = call.replayed ? ',"idempotent_replay":true' : "";
  // Neither has a character that needs escaping: both were looked at when they came.
  const metadata = `{"request_id":"${call.requestId}","api_version":"${call.apiVersion}"${replay}}`;
  headers.push(jsonType, privateOnly);
  return { status, headers, body: `{"data":${data},"metadata":${metadata}}` };
}

function headersOf(call: Call, request: HttpRequest): Pairs {
  const headers = call.responseHeaders.pairs;
  if (request.headers.get("x-server-timing") === "1")
    headers.push(["server-timing", `total;dur=${Date.now() - call.startedAtMs}`]);
  return headers;
}

function metadataOf(call: Call): object {
  return call.replayed
    ? { request_id: call.requestId, api_version: call.apiVersion, idempotent_replay: true }
    : { request_id: call.requestId, api_version: call.apiVersion };
}

function listOf(
  pagination: NonNullable<Route["method"]["pagination"]>,
  call: Call,
  message: Message,
  printed: Message,
): object {
  const { [pagination.itemsField]: data, next_page_token, total, page, per_page, ...others } = printed;
  if (pagination.convention === "page") {
    return {
      data,
      total: total ?? null,
      page: page ?? message.page,
      per_page: per_page ?? message.per_page,
      ...others,
      metadata: metadataOf(call),
    };
  }
  const cursor = next_page_token === "" || next_page_token === undefined ? null : next_page_token;
  return {
    data,
    next_cursor: cursor,
    total: total ?? null,
    limit: message.page_size,
    offset: message.offset,
    has_more: cursor !== null,
    ...others,
    metadata: metadataOf(call),
  };
}

function rawAnswer(response: unknown, headers: Pairs): HttpResponse {
  const { content_type = "", data = "" } = response as { content_type?: string; data?: string };
  headers.push(
    ["content-type", content_type === "" ? "application/octet-stream" : content_type],
    privateOnly,
  );
  return { status: 200, headers, body: Buffer.from(data, "base64") };
}

/** A create that met what was there already (a duplicate, a debounced item, an open run) made nothing new. */
function isCreated(route: Route, message: Message): boolean {
  if (route.method.creates === undefined || message.started === false || message.created === false)
    return false;
  const admission = message.admission as { outcome?: string } | undefined;
  return admission === undefined || admission.outcome === "enqueued" || admission.outcome === "replaced";
}

/** Fills `/api/pools/{id}` from the answer, what the answer wraps, and the request; none where a part is missing. */
function locationOf(
  template: readonly string[] | undefined,
  printed: Message,
  message: Message,
): string | undefined {
  if (template === undefined) return undefined;
  let location = template[0]!;
  for (let i = 1; i < template.length; i += 2) {
    const name = template[i]!;
    const value = namedIn(printed, name) ?? namedInWrapped(printed, name) ?? namedIn(message, name);
    if (value === undefined) return undefined;
    location += encodeURIComponent(value) + template[i + 1]!;
  }
  return location;
}

function namedIn(source: Message, name: string): string | undefined {
  const value = source[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function namedInWrapped(printed: Message, name: string): string | undefined {
  for (const key in printed) {
    const wrapped = printed[key];
    if (!isObject(wrapped)) continue;
    const value = namedIn(wrapped, name);
    if (value !== undefined) return value;
  }
  return undefined;
}
