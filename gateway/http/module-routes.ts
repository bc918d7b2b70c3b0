import type {
  Module,
  ModuleRoute,
  RouteContext,
  RouteRequest,
  RouteResponse,
  RouteVerb,
  SignIn,
} from "#actors";
import { keysOf, limits, RefusalError, refusalError, systemClock } from "#base";
import type { Asker } from "#runtime";
import { CredentialError } from "../calls/stages/credential-error.ts";
import { requestIdOf } from "../calls/stages/request-id.ts";
import type { CallAudit, Providers } from "../calls/stages/stage.ts";
import { refusalAnswer } from "./refusal.ts";
import type { HttpRequest, HttpResponse } from "./server.ts";

interface RouteParts {
  readonly modules: readonly Module[];
  readonly asker: Asker;
  /** Of the external plane. Without tenants every tenant passes. */
  readonly providers: Providers;
  readonly errorsUrl: string;
  readonly audit?: Pick<CallAudit, "visited">;
}

/** Answers what is at a plain route of a module; `undefined`: nothing is. */
export type RouteDoor = (request: HttpRequest) => Promise<HttpResponse> | undefined;

/** Plain routes for browsers and providers that know no credentials of ours: exempt from the check of Origin. */
export function moduleRoutes({ modules, asker, providers, errorsUrl, audit }: RouteParts): RouteDoor {
  const { tenants } = providers;
  const routes = modules
    .flatMap((module) => module.routes ?? [])
    .map((route) => ({ route, at: patternOf(route) }));
  // Every request passes here, and hardly any is for a route: the first part of its path says so.
  const beginnings = [...new Set(routes.map(({ route }) => /^\/[^/]+\//.exec(route.path)![0]))];
  const context: RouteContext = {
    asker,
    clock: systemClock,
    admit,
    signIn: signInBy(providers),
    audit: (request, entry) => audit?.visited(request, entry),
  };
  return (request) => {
    if (!beginnings.some((beginning) => request.path.startsWith(beginning))) return undefined;
    for (const { route, at } of routes) {
      const match = at.exec(request.path);
      if (match !== null) return answer(route, request, { part: match[1] ?? "", context, errorsUrl });
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

/** People show what callers show: the same providers judge it. */
function signInBy({ apiKey, bearer, session }: Providers): SignIn {
  const by = { api_key: apiKey, oidc: session?.oidc && bearer };
  return {
    isOpen: session === undefined,
    ways: session === undefined ? [] : keysOf(by).filter((way) => by[way] !== undefined),
    async identify(way, credential, { requestId, remoteAddress }) {
      const provider = session && by[way];
      if (provider === undefined) throw new CredentialError("not_accepted", `nobody signs in by ${way} here`);
      const deadlineMs = systemClock.now() + limits.requestTimeoutMs;
      return provider.authenticate(credential, { requestId, remoteAddress, deadlineMs });
    },
    ...(session?.oidc && { oidc: session.oidc }),
  };
}

function patternOf({ path }: ModuleRoute): RegExp {
  const source = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/, "([A-Za-z0-9_-]{1,512})");
  return new RegExp(`^${source}$`);
}

interface Asked {
  readonly part: string;
  readonly context: RouteContext;
  readonly errorsUrl: string;
}

/** A refusal that the route does not put into words of its own is a problem. */
async function answer(route: ModuleRoute, request: HttpRequest, asked: Asked): Promise<HttpResponse> {
  const { method } = request;
  const verb = method === "HEAD" ? "GET" : method;
  const operation = route.methods[verb as RouteVerb];
  if (operation === undefined)
    return { status: 405, headers: [["allow", Object.keys(route.methods).join(", ")]], body: "" };
  const requestId = requestIdOf(request.headers);
  try {
    const given = requestOf(request, asked.part, requestId);
    const { status, headers, body } = await operation.handle(given, asked.context);
    return { status, headers: pairsOf(headers), body: method === "HEAD" ? "" : body };
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return refusalAnswer(error.refusal, { requestId, errorsUrl: asked.errorsUrl });
  }
}

function requestOf(request: HttpRequest, part: string, requestId: string): RouteRequest {
  return {
    part,
    requestId,
    query: request.query,
    remoteAddress: request.remoteAddress,
    isEncrypted: request.isEncrypted === true,
    header: (name) => request.headers.get(name),
    headers: () => Object.fromEntries(request.headers.entries()),
    body: () => boundedBody(request),
  };
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
