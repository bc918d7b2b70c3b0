import { type Refusal, RefusalError, refuse, toFault } from "#base";
import { type Call, openCall } from "../../call.ts";
import type { Invoker } from "../../invoke.ts";
import { requestIdOf } from "../../stages/request-id.ts";
import { refusalAnswer } from "../refusal.ts";
import type { HttpRequest, HttpResponse } from "../server.ts";
import { answerOf } from "./answer.ts";
import { type Bound, bindRequest } from "./bind.ts";
import { type Route, RouteTable } from "./routes.ts";

export interface RestSettings {
  /** Where `type` of a problem points. */
  readonly errorsUrl: string;
}

/** `undefined`: no REST path of this plane. */
export type RestHandler = (
  request: HttpRequest,
  segments: readonly string[],
) => Promise<HttpResponse> | HttpResponse | undefined;

/** REST over the contract: from a path to `invoke` and back, with nothing written by hand for any method. */
export function createRestHandler(invoker: Invoker, { errorsUrl }: RestSettings): RestHandler {
  const routes = new RouteTable(invoker.methods.filter((method) => method.kind === "unary"));

  return (request, segments) => {
    const match = routes.match(request.method, segments);
    switch (match.type) {
      case "none":
        return undefined;
      case "other_verb":
        return otherVerb(request, match.allow);
      case "found":
        return run(match.route, request, match.values);
    }
  };

  async function run(route: Route, request: HttpRequest, values: readonly string[]): Promise<HttpResponse> {
    const call = openCall({ method: route.method, plane: invoker.plane, protocol: "rest", source: request });
    let bound: Bound | undefined;
    try {
      // Size and pace of the body come before everything else; what it says comes after who sent it.
      const body = await request.body();
      const read = readMessage(route, request, values, body);
      if (!(read instanceof RefusalError)) bound = read;
      const response = await invoker.invoke(call, bound === undefined ? read : bound.message);
      return answerOf(route, call, request, bound!, response);
    } catch (thrown) {
      return failed(call, request, refusalFrom(thrown, bound));
    }
  }

  function failed(call: Call, request: HttpRequest, refusal: Refusal): HttpResponse {
    const headers = call.responseHeaders;
    if (call.requestId === "") {
      call.requestId = requestIdOf(request.headers);
      headers.set("x-request-id", call.requestId);
    }
    return refusalAnswer(refusal, { requestId: call.requestId, errorsUrl, headers });
  }

  function otherVerb(request: HttpRequest, allow: readonly string[]): HttpResponse {
    const requestId = requestIdOf(request.headers);
    const refusal = refuse("METHOD_NOT_ALLOWED", `${request.method} is not one of ${allow.join(", ")}`);
    const headers = [
      ["x-request-id", requestId],
      ["allow", allow.join(", ")],
    ] as const;
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

function refusalFrom(thrown: unknown, bound: Bound | undefined): Refusal {
  const fault = toFault(thrown);
  if ("error" in fault) throw fault.error;
  const { refusal } = fault;
  if (refusal.code === "VERSION_CONFLICT" && bound?.ifMatch === true)
    return { ...refusal, code: "FAILED_PRECONDITION", reason: "IF_MATCH" };
  return refusal;
}
