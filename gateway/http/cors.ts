import { type Refusal, refuse } from "#base";
import type { HttpRequest, HttpResponse } from "./server.ts";

/** Exact origins; `*` stands for every origin and then no credentials are allowed. */
export interface CorsPolicy {
  readonly allowedOrigins: readonly string[];
}

type Pairs = readonly (readonly [string, string])[];

export function isPreflight(request: HttpRequest): boolean {
  return request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== undefined;
}

/** An origin that is not listed gets no permission to read the answer. What it may not change: `foreignOrigin`. */
export function corsHeaders(policy: CorsPolicy, origin: string): Pairs {
  const allowed = allowedOrigin(policy, origin);
  if (allowed === undefined) return varyByOrigin;
  return [
    ...varyByOrigin,
    ["access-control-allow-origin", allowed],
    ["access-control-expose-headers", exposed],
  ];
}

export function preflightAnswer(policy: CorsPolicy, origin: string): HttpResponse {
  const allowed = allowedOrigin(policy, origin);
  if (allowed === undefined) return { status: 403, headers: varyByOrigin };
  return {
    status: 204,
    headers: [
      ...varyByOrigin,
      ["access-control-allow-origin", allowed],
      ["access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"],
      ["access-control-allow-headers", requestHeaders],
      ["access-control-max-age", "7200"],
    ],
  };
}

/** Never the origin itself unless it is listed, and never `null`: sandboxed pages and files share that one. */
function allowedOrigin({ allowedOrigins }: CorsPolicy, origin: string): string | undefined {
  if (allowedOrigins.includes("*")) return "*";
  return origin !== "null" && allowedOrigins.includes(origin) ? origin : undefined;
}

export const varyByOrigin: Pairs = [["vary", "Origin"]];

/**
 * Why a request of a browser page may not change anything here; `undefined`: it may. A page of another site can send a POST
 * without asking first (CSRF) and with the caller's network position, so keeping the answer from it is not enough. Browsers
 * name the page's origin in every such request; clients that are no browser name none.
 */
export function foreignOrigin(policy: CorsPolicy, request: HttpRequest): Refusal | undefined {
  return safeVerbs.has(request.method) ? undefined : foreignUpgrade(policy, request);
}

/** The same where every verb may change things: a WebSocket is a GET. */
export function foreignUpgrade(policy: CorsPolicy, request: HttpRequest): Refusal | undefined {
  const origin = request.headers.get("origin");
  if (origin === undefined) {
    const site = request.headers.get("sec-fetch-site");
    return site === "cross-site" || site === "same-site" ? refused("of another site") : undefined;
  }
  const isOurs = hostOf(origin) === request.headers.get("host")?.toLowerCase();
  return isOurs || allowedOrigin(policy, origin) !== undefined ? undefined : refused(`of ${origin}`);
}

/** No method that changes something is bound to these: gateway/contract/governance.test.ts. */
const safeVerbs: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** With its port; both leave out the port that the scheme implies. The scheme is not compared: a proxy may end TLS before us. */
function hostOf(origin: string): string | undefined {
  const start = origin.indexOf("://");
  return start < 0 ? undefined : origin.slice(start + 3).toLowerCase();
}

function refused(page: string): Refusal {
  return refuse(
    "PERMISSION_DENIED",
    `a page ${page} may not change anything here; list its origin in cors.allowed_origins to let it`,
  );
}

const requestHeaders =
  "Authorization, X-API-Key, X-Tenant-ID, X-Environment, X-Request-ID, Idempotency-Key, Api-Version, " +
  "If-Match, If-None-Match, If-Range, Range, Last-Event-ID, X-Object-Receipt, Content-Type, " +
  "Connect-Protocol-Version, Connect-Timeout-Ms, X-Grpc-Web, X-User-Agent, Grpc-Timeout, Traceparent, Tracestate, " +
  "Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-Contract";

const exposed =
  "X-Request-ID, Api-Version, Idempotent-Replayed, ETag, Accept-Ranges, Content-Disposition, Content-Range, " +
  "X-Content-Type-Options, WWW-Authenticate, Allow, Location, Retry-After, X-RateLimit-Limit, " +
  "X-RateLimit-Remaining, Deprecation, Sunset, Link, Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, " +
  "Server-Timing, X-Contract";
