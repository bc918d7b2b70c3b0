import { isRefusal, type Refusal, RefusalError, refuse } from "#base";
import { Call } from "../../calls/call.ts";
import type { Invoker } from "../../calls/invoke.ts";
import { masked } from "../../calls/stages/error-masking.ts";
import { requestIdOf } from "../../calls/stages/request-id.ts";
import { withRestNames } from "../../errors/names.ts";
import { acceptedCodings, inflate, isGzip } from "../gzip.ts";
import { refusalAnswer } from "../refusal.ts";
import type { HttpRequest, HttpResponse, Responder } from "../server.ts";
import { answerOf } from "./answer.ts";
import { type Bound, bindRequest, orRefusal, type RestCall, unknownCoding } from "./bind.ts";
import { failedRead, ifMatchFailed } from "./conditions.ts";
import { KnownPaths } from "./known-paths.ts";
import { createRawDoor, type DoorParts } from "./raw.ts";
import { type Route, RouteTable } from "./routes.ts";
import { createEventDoor } from "./sse.ts";

export interface RestSettings {
  /** Where `type` of a problem points. */
  readonly errorsUrl: string;
  /** Of a body, inflated. */
  readonly bodyBytesMax: number;
}

export interface RestHandler {
  /** How long the body of a request for this path may be, where that is longer than any other; else `undefined`. */
  longBody(verb: string, segments: readonly string[]): number | undefined;
  /** Answers a request for a path it remembers; false: it does not. */
  again(request: HttpRequest, responder: Responder): boolean;
  /** False: no REST path of this plane. */
  first(request: HttpRequest, segments: readonly string[], responder: Responder): boolean;
  /** The path that was probably meant where `first` knows none. */
  nearest(segments: readonly string[]): string | undefined;
}

/** REST over the contract: from a path to `invoke` and back, with nothing written by hand for any method. */
export function createRestHandler(invoker: Invoker, { errorsUrl, bodyBytesMax }: RestSettings): RestHandler {
  const routes = new RouteTable(
    invoker.methods.filter(
      (method) => method.kind === "unary" || method.sse !== undefined || method.raw !== undefined,
    ),
  );
  const doors: DoorParts = {
    invoker,
    errorsUrl,
    refused,
    refusalOf: (thrown) => (thrown instanceof RefusalError ? thrown.refusal : masked(thrown, invoker.log)),
  };
  const serveRaw = createRawDoor(doors);
  const serveEvents = createEventDoor(doors);
  const known = new KnownPaths();

  return {
    nearest: (segments) => routes.nearest(segments),
    longBody(verb, segments) {
      const match = routes.match(verb, segments);
      return match.type === "found" ? match.route.method.raw?.bytesMax : undefined;
    },
    again(request, responder) {
      const found = known.find(request.method, request.path);
      if (found === undefined) return false;
      run(found.route, request, found.values, responder);
      return true;
    },
    first(request, segments, responder) {
      const match = routes.match(request.method, segments);
      switch (match.type) {
        case "none":
          return false;
        case "other_verb":
          responder.send(otherVerb(request, match.allow, segments));
          return true;
        case "found":
          known.keep(request.method, request.path, match);
          run(match.route, request, match.values, responder);
          return true;
      }
    },
  };

  function run(route: Route, request: HttpRequest, values: readonly string[], responder: Responder): void {
    const call = openCallOf(route, request);
    const asked: RestCall = { call, route, request, values, responder };
    // Nothing is kept of a body whose sender may not make this call.
    invoker.admit(call, (refusal) => {
      if (refusal !== undefined) request.discard(() => responder.send(refused(asked, refusal)));
      else if (route.method.raw !== undefined) serveRaw(asked);
      else
        request.readBody((body) => {
          if (isRefusal(body)) attempt(asked, new RefusalError(body));
          else if (route.method.sse !== undefined) serveEvents(asked);
          else if (body.byteLength > 0 && isGzip(request.headers.get("content-encoding")))
            inflate(Buffer.from(body), bodyBytesMax, (inflated) =>
              attempt(asked, isRefusal(inflated) ? new RefusalError(inflated) : inflated),
            );
          else attempt(asked, body);
        });
    });
  }

  /**
   * `body`: or why it could not be read or unpacked. `version`: of several that If-Match names, where the first was not the
   * record's.
   */
  function attempt(asked: RestCall, body: Buffer | RefusalError, version?: number): void {
    const { call, route, request, responder } = asked;
    try {
      const read = body instanceof RefusalError ? body : orRefusal(() => bindRequest(asked, body, version));
      const bound = read instanceof RefusalError ? undefined : read;
      // The server's own bytes of the body are gone when the entity answers.
      const kept = Buffer.isBuffer(body) && mayTryAgain(bound) ? Buffer.from(body) : body;
      invoker.invoke(call, bound?.message ?? read, (refusal, response) => {
        try {
          const next = refusal === undefined ? undefined : nextVersion(refusal, bound, version);
          if (next !== undefined) return attempt({ ...asked, call: openCallOf(route, request) }, kept, next);
          const failed = refusal ?? failedRead(route, request, response);
          responder.send(
            failed === undefined ? answerOf(asked, bound!.message, response) : refused(asked, failed, bound),
          );
        } catch (error) {
          responder.fail(error);
        }
      });
    } catch (error) {
      responder.fail(error);
    }
  }

  function openCallOf(route: Route, request: HttpRequest): Call {
    return new Call({ method: route.method, plane: invoker.plane, protocol: "rest", source: request });
  }

  function refused({ call, request }: RestCall, refusal: Refusal, bound?: Bound): HttpResponse {
    const headers = call.responseHeaders;
    // A read may succeed and then fail its condition.
    headers.delete("api-version");
    if (call.requestId === "") {
      call.requestId = requestIdOf(request.headers);
      headers.set("x-request-id", call.requestId);
    }
    if (refusal.reason === unknownCoding) headers.set("accept-encoding", acceptedCodings);
    const named = call.method.pagination?.convention === "cursor" ? withRestNames(refusal) : refusal;
    return refusalAnswer(asRest(named, bound), { requestId: call.requestId, errorsUrl, headers });
  }

  function otherVerb(
    request: HttpRequest,
    allow: readonly string[],
    segments: readonly string[],
  ): HttpResponse {
    const requestId = requestIdOf(request.headers);
    const headers = [
      ["x-request-id", requestId],
      ["allow", allow.join(", ")],
    ] as const;
    if (request.method === "OPTIONS") return { status: 204, headers };
    // A custom verb that there is none of may be read as the end of an id.
    const meant = segments.at(-1)!.includes(":") ? routes.nearest(segments) : undefined;
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const refusal = refuse(
      "METHOD_NOT_ALLOWED",
      `${request.method} is not one of ${allow.join(", ")}${hint}`,
    );
    return refusalAnswer(refusal, { requestId, errorsUrl, headers });
  }
}

function asRest(refusal: Refusal, bound: Bound | undefined): Refusal {
  return refusal.code === "VERSION_CONFLICT" && bound?.ifMatch !== undefined
    ? ifMatchFailed(refusal.extra?.record_version)
    : refusal;
}

function mayTryAgain(bound: Bound | undefined): bound is Bound & { readonly ifMatch: readonly number[] } {
  return bound?.ifMatch !== undefined && bound.ifMatch.length > 1;
}

/**
 * A record has one of several versions that If-Match names. The entity compares with one; it says which one it has. A key
 * that was used with one of the others belongs to the request that this one repeats.
 */
function nextVersion(
  { code, extra }: Refusal,
  bound: Bound | undefined,
  tried: number | undefined,
): number | undefined {
  if (!mayTryAgain(bound)) return undefined;
  const versions = bound.ifMatch;
  const last = tried ?? versions[0]!;
  if (code === "IDEMPOTENCY_KEY_REUSED") return versions.find((version) => version > last);
  if (code !== "VERSION_CONFLICT") return undefined;
  return versions.find((version) => version > last && version === extra?.record_version);
}
