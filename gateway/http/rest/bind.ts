import { isObject, RefusalError, refusalError } from "#base";
import type { Call } from "../../calls/call.ts";
import { upperUlid } from "../../contract/index.ts";
import { isGzip } from "../gzip.ts";
import type { HttpRequest, Responder } from "../server.ts";
import { tagsOf, versionsIn } from "./conditions.ts";
import { parseJson } from "./json.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { pageParameters, parameterNames } from "./paging.ts";
import { bindQuery, parseQuery, refuseIfAny, scalarFromText, unknownParameter } from "./query.ts";
import type { Route } from "./routes.ts";

/** A call on its way through this door: what was asked, and who is answered. */
export interface RestCall {
  readonly call: Call;
  readonly route: Route;
  readonly request: HttpRequest;
  /** Of the variables in the path. */
  readonly values: readonly string[];
  readonly responder: Responder;
}

export interface Bound {
  readonly message: Record<string, unknown>;
  /** The versions that If-Match names, smallest first: a conflict is then a failed precondition. */
  readonly ifMatch: readonly number[] | undefined;
}

/**
 * Path, query and body into one plain message, with `version` where If-Match named several. Throws a RefusalError for
 * what cannot be read.
 */
export function bindRequest({ route, request, values }: RestCall, body: Buffer, version?: number): Bound {
  const { method, binding } = route;
  const desc = method.descriptor.input;
  const json = readBody(route, request, body);
  const message = messageOf(route, json, body.byteLength > 0);
  bindPath(route, message, values);
  const parameters = parseQuery(request.query);
  if (parameters.length > 0) {
    if (binding.body === "*") refuseIfAny(parameters.map(([name]) => unknownParameter(name)));
    bindQuery(desc, message, pageParameters(method, parameters), parameterNames(method));
  }
  if (tagsOf(request, "If-None-Match") !== undefined && binding.verb !== "GET")
    throw bad("If-None-Match is for a GET: what changes something does not look at it");
  const ifMatch = bindIfMatch(route, request, message);
  if (version !== undefined) message.record_version = version;
  return { message, ifMatch };
}

/** A request that cannot be read is handed on as its refusal, so that the pipeline can judge the caller first. */
export function orRefusal<T>(read: () => T): T | RefusalError {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown;
    throw thrown;
  }
}

function readBody({ binding }: Route, request: HttpRequest, body: Buffer): unknown {
  const isEmpty = body.byteLength === 0;
  if (!isEmpty && binding.body === undefined) throw bad("this method takes no body");
  // Other types, and none at all, are what a page of another site may send without asking.
  const type = request.headers.get("content-type");
  const isJson = type === undefined ? isEmpty : type === "application/json" || jsonType.test(type);
  if (!isJson && binding.verb !== "GET")
    throw refusalError("UNSUPPORTED_MEDIA_TYPE", "the body must be application/json");
  if (isEmpty) return undefined;
  const coding = request.headers.get("content-encoding");
  if (coding !== undefined && coding.toLowerCase() !== "identity" && !isGzip(coding))
    throw refusalError(
      "UNSUPPORTED_MEDIA_TYPE",
      `the body may be in gzip or as it is, not in ${JSON.stringify(coding)}`,
      { reason: unknownCoding },
    );
  return parseJson(body);
}

export const unknownCoding = "CONTENT_ENCODING";

const jsonType = /^application\/(?:merge-patch\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

function messageOf(route: Route, json: unknown, given: boolean): Record<string, unknown> {
  const field = route.binding.body;
  if (field === undefined || !given) return {};
  if (field !== "*") return { [field]: json };
  if (!isObject(json)) throw bad("the body must be a JSON object");
  const message = json;
  if (route.binding.verb === "PATCH") {
    if ("update_mask" in message)
      refuseIfAny([{ field: "update_mask", reason: "is not taken: send a merge patch" }]);
    applyMergePatch(route.method.descriptor.input, message);
  }
  return message;
}

function bindPath(route: Route, message: Record<string, unknown>, values: readonly string[]): void {
  for (let i = 0; i < route.variables.length; i++) {
    const { name, plan } = route.variables[i]!;
    const value = values[i]!;
    if (Object.hasOwn(message, name) && !isSame(message[name], value))
      refuseIfAny([{ field: name, reason: "differs from the one in the path" }]);
    message[name] = plan === undefined ? value : scalarFromText(plan, value);
  }
}

/** Ids may be written in either case. */
function isSame(inBody: unknown, inPath: string): boolean {
  return inBody === inPath || (typeof inBody === "string" && upperUlid(inBody) === upperUlid(inPath));
}

function bindIfMatch(
  { method, binding, versioned }: Route,
  request: HttpRequest,
  message: Record<string, unknown>,
): readonly number[] | undefined {
  const tags = tagsOf(request, "If-Match");
  // A read looks at its answer; what does not exist is not found, with any condition.
  if (tags === undefined || tags === "*" || (binding.verb === "GET" && versioned)) return undefined;
  if (!method.descriptor.input.fields.some((field) => field.name === "record_version"))
    throw bad("If-Match is for changes that take a record_version: this method does not look at one");
  const versions = versionsIn(tags);
  if (message.record_version === undefined) {
    // Records begin with version 1, so 0 is a condition that never holds.
    message.record_version = versions[0] ?? 0;
    return versions;
  }
  if (!versions.includes(Number(message.record_version)))
    refuseIfAny([{ field: "record_version", reason: "differs from the version in If-Match" }]);
  return [];
}

function bad(detail: string): RefusalError {
  return refusalError("INVALID_ARGUMENT", detail);
}
