import { isRefusal, type Refusal, RefusalError, refuse } from "#base";
import { type Call, openCall } from "../../calls/call.ts";
import type { Invoker } from "../../calls/invoke.ts";
import { requestIdOf } from "../../calls/stages/request-id.ts";
import { refusalAnswer } from "../refusal.ts";
import type { HttpRequest, HttpResponse, Responder } from "../server.ts";
import { answerOf } from "./answer.ts";
import { type Bound, bindRequest } from "./bind.ts";
import { KnownPaths } from "./known-paths.ts";
import { type Route, RouteTable } from "./routes.ts";

export interface RestSettings {
  /** Where `type` of a problem points. */
  readonly errorsUrl: string;
}

export interface RestHandler {
  /** Answers a request for a path it remembers; false: it does not. */
  again(request: HttpRequest, responder: Responder): boolean;
  /** False: no REST path of this plane. */
  first(request: HttpRequest, segments: readonly string[], responder: Responder): boolean;
}

/** REST over the contract: from a path to `invoke` and back, with nothing written by hand for any method. */
export function createRestHandler(invoker: Invoker, { errorsUrl }: RestSettings): RestHandler {
  const routes = new RouteTable(invoker.methods.filter((method) => method.kind === "unary"));

  const known = new KnownPaths();

  return {
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
          responder.send(otherVerb(request, match.allow));
          return true;
        case "found":
          known.keep(request.method, request.path, match);
          run(match.route, request, match.values, responder);
          return true;
      }
    },
  };

  function run(route: Route, request: HttpRequest, values: readonly string[], responder: Responder): void {
    const call = openCall({ method: route.method, plane: invoker.plane, protocol: "rest", source: request });
    // Size and pace of the body come before everything else; what it says comes after who sent it.
    request.take((body) => {
      try {
        if (isRefusal(body)) {
          responder.send(refused(call, request, body));
          return;
        }
        const read = readMessage(route, request, values, body);
        const bound = read instanceof RefusalError ? undefined : read;
        invoker.invoke(call, bound?.message ?? read, (refusal, response) => {
          try {
            responder.send(
              refusal === undefined
                ? answerOf(route, call, request, bound!, response)
                : refused(call, request, refusal, bound),
            );
          } catch (error) {
            responder.fail(error);
          }
        });
      } catch (error) {
        responder.fail(error);
      }
    });
  }

  function refused(call: Call, request: HttpRequest, refusal: Refusal, bound?: Bound): HttpResponse {
    const headers = call.responseHeaders;
    if (call.requestId === "") {
      call.requestId = requestIdOf(request.headers);
      headers.set("x-request-id", call.requestId);
    }
    return refusalAnswer(asRest(refusal, bound), { requestId: call.requestId, errorsUrl, headers });
  }

  function otherVerb(request: HttpRequest, allow: readonly string[]): HttpResponse {
    const requestId = requestIdOf(request.headers);
    const headers = [
      ["x-request-id", requestId],
      ["allow", allow.join(", ")],
    ] as const;
    if (request.method === "OPTIONS") return { status: 204, headers };
    const refusal = refuse("METHOD_NOT_ALLOWED", `${request.method} is not one of ${allow.join(", ")}`);
    return refusalAnswer(refusal, { requestId, errorsUrl, headers });
  }
}

/** A message that cannot be read is handed on as its refusal, so that the pipeline can judge the caller first. */
function readMessage(
  route: Route,
  request: HttpRequest,
  values: readonly string[],
  body: Buffer,
): Bound | RefusalError {
  try {
    return bindRequest(route, request, values, body);
  } catch (thrown) {
    if (thrown instanceof RefusalError) return thrown;
    throw thrown;
  }
}

function asRest(refusal: Refusal, bound: Bound | undefined): Refusal {
  if (refusal.code === "VERSION_CONFLICT" && bound?.ifMatch === true)
    return { ...refusal, code: "FAILED_PRECONDITION", reason: "IF_MATCH" };
  return refusal;
}
