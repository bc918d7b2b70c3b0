import type { HttpRequest, HttpResponse } from "./server.ts";

/** Exact origins; `*` stands for every origin and then no credentials are allowed. */
export interface CorsPolicy {
  readonly allowedOrigins: readonly string[];
}

type Pairs = readonly (readonly [string, string])[];

export function isPreflight(request: HttpRequest): boolean {
  return request.method === "OPTIONS" && request.headers.get("access-control-request-method") !== undefined;
}

/** An origin that is not listed gets no permission to read the answer. What it may not change is in foreign-origin.ts. */
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
export function allowedOrigin({ allowedOrigins }: CorsPolicy, origin: string): string | undefined {
  if (allowedOrigins.includes("*")) return "*";
  return origin !== "null" && allowedOrigins.includes(origin) ? origin : undefined;
}

export const varyByOrigin: Pairs = [["vary", "Origin"]];

const requestHeaders = [
  "Authorization",
  "X-API-Key",
  "X-Tenant-ID",
  "X-Environment",
  "X-Request-ID",
  "Idempotency-Key",
  "Api-Version",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Range",
  "Last-Event-ID",
  "X-Object-Receipt",
  "Content-Type",
  "Connect-Protocol-Version",
  "Connect-Timeout-Ms",
  "X-Grpc-Web",
  "X-User-Agent",
  "Grpc-Timeout",
  "Traceparent",
  "Tracestate",
].join(", ");

const exposed = [
  "X-Request-ID",
  "Api-Version",
  "Idempotent-Replayed",
  "ETag",
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Range",
  "X-Content-Type-Options",
  "WWW-Authenticate",
  "Allow",
  "Location",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "Deprecation",
  "Sunset",
  "Link",
  "Grpc-Status",
  "Grpc-Message",
  "Grpc-Status-Details-Bin",
  "Server-Timing",
].join(", ");
