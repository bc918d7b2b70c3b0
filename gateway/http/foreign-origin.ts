import { type Refusal, refuse } from "#base";
import { allowedOrigin, type CorsPolicy } from "./cors.ts";
import type { HttpRequest } from "./server.ts";

/**
 * Why a request of a browser page may not change anything here; `undefined`: it may. A page of another site can send a POST
 * without asking first (CSRF) and with the caller's network position, so keeping the answer from it is not enough. Browsers
 * name the page's origin in every such request; clients that are no browser name none.
 */
export function foreignOrigin(policy: CorsPolicy, request: HttpRequest): Refusal | undefined {
  return safeVerbs.has(request.method) ? undefined : foreignUpgrade(policy, request);
}

/** The same for a WebSocket, which is a GET and may change things all the same. */
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
