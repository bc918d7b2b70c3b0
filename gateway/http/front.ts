import { isRefusal, type Refusal, refuse } from "#base";
import { requestIdOf } from "../calls/stages/request-id.ts";
import { type CorsPolicy, corsHeaders, isPreflight, preflightAnswer, varyByOrigin } from "./cors.ts";
import { foreignOrigin, foreignUpgrade } from "./foreign-origin.ts";
import { codingResponder, inCoding } from "./gzip.ts";
import { hostCheck } from "./hosts.ts";
import type { RouteDoor } from "./module-routes.ts";
import { refusalAnswer } from "./refusal.ts";
import type { RestHandler } from "./rest/handler.ts";
import { splitPath } from "./rest/path.ts";
import type { HttpHandler, HttpRequest, HttpResponse, Page, Responder, SocketDoor } from "./server.ts";

export interface FrontParts {
  readonly rest: RestHandler;
  /** Connect and gRPC-Web. */
  readonly rpc: RpcDoor;
  /** Absent: no WebSockets. */
  readonly sockets?: SocketDoor;
  /** Plain routes of modules. */
  readonly routes?: RouteDoor;
  /** By exact path: health, metrics, documents; GET and HEAD only. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Empty: every Host is taken. */
  readonly allowedHosts: readonly string[];
  readonly cors: CorsPolicy;
  readonly errorsUrl: string;
}

interface RpcDoor {
  handle(request: HttpRequest): Promise<HttpResponse> | undefined;
  unknown(request: HttpRequest): Promise<HttpResponse> | undefined;
}

export interface Front {
  readonly handler: HttpHandler;
  /** Absent: no WebSockets. */
  readonly sockets?: SocketDoor;
  /** How long the body of this request may be, where that is longer than any other. */
  readonly longBody: (request: HttpRequest) => number | undefined;
  /** Answers in the caller's protocol what no handler of ours has seen. */
  readonly refuse: (refusal: Refusal, request: HttpRequest | undefined) => HttpResponse;
}

/** The first to see a request: Host, origin and path; then whichever door the path belongs to. */
export function createFront(parts: FrontParts): Front {
  const { rest, rpc, pages, errorsUrl } = parts;
  const hostRefusal = hostCheck(parts.allowedHosts);
  const { sockets } = parts;
  if (sockets === undefined) return { handler, refuse: refused, longBody };
  return { handler, refuse: refused, longBody, sockets: (request) => upgrade(request, sockets) };

  function longBody(request: HttpRequest): number | undefined {
    const segments = splitPath(request.path);
    return isRefusal(segments) ? undefined : rest.longBody(request.method, segments);
  }

  /** Host and origin come first here too: a browser sends the origin of its page, without a request before. */
  function upgrade(request: HttpRequest, door: SocketDoor): ReturnType<SocketDoor> {
    const host = hostRefusal(request.headers.get("host") ?? "");
    if (host !== undefined) return refused(host, request);
    const foreign = foreignUpgrade(parts.cors, request);
    return foreign === undefined ? door(request) : refused(foreign, request);
  }

  function handler(request: HttpRequest, responder: Responder): ReturnType<HttpHandler> {
    const host = hostRefusal(request.headers.get("host") ?? "");
    if (host !== undefined) return { ...refused(host, request), close: true };
    const routed = parts.routes?.(request);
    if (routed !== undefined) return routed;
    const origin = request.headers.get("origin");
    const foreign = foreignOrigin(parts.cors, request);
    if (foreign !== undefined) return withHeaders(refused(foreign, request), varyByOrigin);
    if (origin === undefined) return dispatch(request, responder);
    if (isPreflight(request)) return preflightAnswer(parts.cors, origin);
    const headers = corsHeaders(parts.cors, origin);
    const answer = dispatch(request, {
      send: (late) => responder.send(withHeaders(late, headers)),
      fail: (error) => responder.fail(error),
    });
    if (answer === undefined) return undefined;
    return answer instanceof Promise
      ? answer.then((late) => withHeaders(late, headers))
      : withHeaders(answer, headers);
  }

  function dispatch(request: HttpRequest, responder: Responder): ReturnType<HttpHandler> {
    const page = pages.get(request.path);
    if (page !== undefined)
      return request.method === "GET" || request.method === "HEAD"
        ? pageInCoding(request, page)
        : getOnly(request);
    const coding = codingResponder(request, responder);
    if (rest.again(request, coding)) return undefined;
    const segments = splitPath(request.path);
    if (isRefusal(segments)) return refused(segments, request);
    const nothing = refuse("NOT_FOUND", "there is nothing at this path");
    // Only RPC paths start with a name that has dots in it: the package.
    if (segments[0]?.includes("."))
      return rpc.handle(request) ?? rpc.unknown(request) ?? refused(nothing, request);
    if (rest.first(request, segments, coding)) return undefined;
    const isRpc = rpcType.test(request.headers.get("content-type") ?? "");
    return (isRpc ? rpc.unknown(request) : undefined) ?? refused(nothing, request);
  }

  function getOnly(request: HttpRequest): HttpResponse {
    const answer = refused(
      refuse("METHOD_NOT_ALLOWED", `${request.method} is not one of GET, HEAD`),
      request,
    );
    return withHeaders(answer, [["allow", "GET, HEAD"]]);
  }

  function refused(refusal: Refusal, request: HttpRequest | undefined): HttpResponse {
    const requestId = request === undefined ? "" : requestIdOf(request.headers);
    return refusalAnswer(refusal, { requestId, errorsUrl });
  }
}

/** Types that RPC alone has; a service without a package has no dot in its name. */
const rpcType = /^application\/(?:grpc|connect\+)/;

function pageInCoding(request: HttpRequest, page: Page): HttpResponse | Promise<HttpResponse> {
  const answer = page(request);
  return answer instanceof Promise
    ? answer.then((late) => inCoding(request, late))
    : inCoding(request, answer);
}

function withHeaders(answer: HttpResponse, more: Iterable<readonly [string, string]>): HttpResponse {
  return { ...answer, headers: [...answer.headers, ...more] };
}
