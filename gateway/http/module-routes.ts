import type { Module, ModuleRoute, RouteContext, RouteRequest, RouteResponse, RouteVerb } from "#actors";
import { limits, refusalError, systemClock } from "#base";
import type { Asker } from "#runtime";
import type { Tenants } from "../calls/tenants.ts";
import type { HttpRequest, HttpResponse } from "./server.ts";

interface RouteParts {
  readonly modules: readonly Module[];
  readonly asker: Asker;
  /** Absent: every tenant passes. */
  readonly tenants?: Pick<Tenants, "peek" | "load">;
}

/** Answers what is at a plain route of a module; `undefined`: nothing is. */
export type RouteDoor = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** Plain routes for browsers and providers that know no credentials of ours: exempt from the check of Origin. */
export function moduleRoutes({ modules, asker, tenants }: RouteParts): RouteDoor {
  const routes = modules
    .flatMap((module) => module.routes ?? [])
    .map((route) => ({ route, at: patternOf(route) }));
  // Every request passes here, and hardly any is for a route: the first part of its path says so.
  const beginnings = [...new Set(routes.map(({ route }) => /^\/[^/]+\//.exec(route.path)![0]))];
  const context: RouteContext = { asker, clock: systemClock, admit };
  return (request) => {
    if (!beginnings.some((beginning) => request.path.startsWith(beginning))) return undefined;
    for (const { route, at } of routes) {
      const match = at.exec(request.path);
      if (match !== null) return answer(route, request, match[1] ?? "", context);
    }
    return undefined;
  };

  /** Whether a tenant is suspended, deleted or never was is not told here. */
  async function admit(tenant: string): Promise<void> {
    if (tenants === undefined) return;
    const known = tenants.peek(tenant);
    const facts = known === undefined ? await tenants.load(tenant) : known;
    if (facts?.status !== "active") throw refusalError("NOT_FOUND", "there is nothing at this address");
  }
}

function patternOf({ path }: ModuleRoute): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/, "([A-Za-z0-9_-]{1,512})");
  return new RegExp(`^${source}$`);
}

async function answer(
  route: ModuleRoute,
  request: HttpRequest,
  part: string,
  context: RouteContext,
): Promise<HttpResponse> {
  const { method } = request;
  const verb = method === "HEAD" ? "GET" : method;
  const operation = route.methods[verb as RouteVerb];
  if (operation === undefined)
    return { status: 405, headers: [["allow", Object.keys(route.methods).join(", ")]], body: "" };
  const asked: RouteRequest = {
    part,
    query: request.query,
    header: (name) => request.headers.get(name),
    headers: () => Object.fromEntries(request.headers.entries()),
    body: () => boundedBody(request),
  };
  const { status, headers, body } = await operation.handle(asked, context);
  return { status, headers: pairsOf(headers), body: method === "HEAD" ? "" : body };
}

function pairsOf(headers: RouteResponse["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((one): [string, string] => [name, one]),
  );
}

async function boundedBody(request: HttpRequest): Promise<Buffer> {
  const body = await request.body();
  if (body.length > limits.routeBodyBytesMax)
    throw refusalError("PAYLOAD_TOO_LARGE", `the body is longer than ${limits.routeBodyBytesMax} bytes`);
  return Buffer.from(body);
}
