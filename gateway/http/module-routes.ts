import type { Module, ModuleRoute, RouteRequest } from "#actors";
import { limits, RefusalError, refuse, systemClock } from "#base";
import type { Asker } from "#runtime";
import type { HttpRequest, HttpResponse } from "./server.ts";

/** Answers what is at a plain route of a module; `undefined`: nothing is. */
export type RouteDoor = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** Plain routes for browsers and providers that know no credentials of ours: exempt from the check of Origin. */
export function moduleRoutes(modules: readonly Module[], asker: Asker): RouteDoor {
  const routes = modules
    .flatMap((module) => module.routes ?? [])
    .map((route) => ({ route, at: patternOf(route) }));
  if (routes.length === 0) return () => undefined;
  return (request) => {
    for (const { route, at } of routes) {
      const match = at.exec(request.path);
      if (match !== null) return answer(route, request, match[1] ?? "", asker);
    }
    return undefined;
  };
}

function patternOf({ path }: ModuleRoute): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/, "([A-Za-z0-9_-]{1,512})");
  return new RegExp(`^${source}$`);
}

async function answer(
  route: ModuleRoute,
  request: HttpRequest,
  part: string,
  asker: Asker,
): Promise<HttpResponse> {
  const { method } = request;
  const verb = method === "HEAD" ? "GET" : method;
  const handle = route.methods[verb as "GET" | "POST"];
  if (handle === undefined)
    return { status: 405, headers: [["allow", Object.keys(route.methods).join(", ")]], body: "" };
  const asked: RouteRequest = {
    part,
    query: request.query,
    header: (name) => request.headers.get(name),
    body: () => boundedBody(request),
  };
  const { status, headers, body } = await handle(asked, { asker, clock: systemClock });
  return { status, headers: Object.entries(headers), body: method === "HEAD" ? "" : body };
}

async function boundedBody(request: HttpRequest): Promise<Buffer> {
  const body = await request.body();
  if (body.length > limits.routeBodyBytesMax)
    throw new RefusalError(
      refuse("PAYLOAD_TOO_LARGE", `the body is longer than ${limits.routeBodyBytesMax} bytes`),
    );
  return Buffer.from(body);
}
