import { isRefusal, nearest, type Refusal, refuse } from "#base";
import { requestIdOf } from "../calls/stages/request-id.ts";
import {
  type CorsPolicy,
  corsHeaders,
  foreignOrigin,
  foreignUpgrade,
  isPreflight,
  preflightAnswer,
  varyByOrigin,
} from "./cors.ts";
import { codingResponder, inCoding } from "./gzip.ts";
import type { RouteDoor } from "./module-routes.ts";
import { refusalAnswer } from "./refusal.ts";
import type { RestHandler } from "./rest/handler.ts";
import { splitPath } from "./rest/path.ts";
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  HttpServerOptions,
  Page,
  PathDoor,
  Responder,
  SocketDoor,
} from "./server.ts";

export interface FrontParts {
  readonly rest: RestHandler;
  /** Connect and gRPC-Web. */
  readonly rpc: RpcDoor;
  /** Absent: no WebSockets. */
  readonly sockets?: SocketDoor;
  /** Plain routes of modules. */
  readonly routes?: RouteDoor;
  /** The Model Context Protocol; absent: it is off. */
  readonly mcp?: PathDoor;
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

/** What a server needs of the doors behind it. */
export type Front = Pick<HttpServerOptions, "handler" | "longBody" | "sockets" | "refuse">;

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
    const foreign =
      request.path === parts.mcp?.path
        ? foreignUpgrade(parts.cors, request)
        : foreignOrigin(parts.cors, request);
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
    if (request.path === parts.mcp?.path)
      return parts.mcp.handle(request).then((answer) => inCoding(request, answer));
    const page = pages.get(request.path);
    if (page !== undefined)
      return request.method === "GET" || request.method === "HEAD"
        ? pageInCoding(request, page)
        : getOnly(request);
    const coding = codingResponder(request, responder);
    if (rest.again(request, coding)) return undefined;
    const segments = splitPath(request.path);
    if (isRefusal(segments)) return refused(segments, request);
    // Only RPC paths start with a name that has dots in it: the package.
    if (segments[0]?.includes("."))
      return rpc.handle(request) ?? rpc.unknown(request) ?? nothingAt(segments, request);
    if (rest.first(request, segments, coding)) return undefined;
    const isRpc = rpcType.test(request.headers.get("content-type") ?? "");
    return (isRpc ? rpc.unknown(request) : undefined) ?? nothingAt(segments, request);
  }

  function nothingAt(segments: readonly string[], request: HttpRequest): HttpResponse {
    const meant = rest.nearest(segments) ?? nearest(request.path, pages.keys());
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    return refused(refuse("NOT_FOUND", `there is nothing at this path${hint}`), request);
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

/** A Host that is not ours means a browser was led here by another name (DNS rebinding), or a mistake. */
function hostCheck(allowed: readonly string[]): (host: string) => Refusal | undefined {
  if (allowed.length === 0 || allowed.includes("*")) return () => undefined;
  // Nearly every request names the same one.
  let lastAllowed: string | undefined;
  return (host) => {
    if (host === lastAllowed) return undefined;
    const name = hostName(host);
    if (name === undefined || !allowed.includes(name))
      return refuse("INVALID_ARGUMENT", "the Host of this request is not one of ours; see api.allowed_hosts");
    lastAllowed = host;
    return undefined;
  };
}

/** Without the port, lower case, IPv6 in brackets; `undefined` for what is not a host. */
function hostName(host: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?$/.exec(host);
  return match?.[1]?.toLowerCase();
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
