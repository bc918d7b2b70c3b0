import { devTenantId, RefusalError, refuse } from "#base";
import type { Call, Principal } from "../call.ts";
import type { AuthenticationProvider, PipelineParts, Stage } from "./stage.ts";

/** Finds out who calls. One kind of credentials per request: two could name two callers. */
export function authentication(parts: PipelineParts): Stage {
  const { plane, settings, providers } = parts;
  const everyone = settings.authEnabled ? undefined : devPrincipals[plane];
  const anonymous = takesAnonymous(parts) ? viewerOf(settings.anonymousTenant!) : undefined;

  return {
    name: "authentication",
    enter(call) {
      // A module of ours was not let in by a door: it calls for a caller that was.
      if (call.principal?.kind === "module") return undefined;
      if (everyone !== undefined) {
        call.principal = everyone;
        return undefined;
      }
      if (!call.method.governance.authenticationRequired) return undefined;
      const found = credentialsIn(call, parts);
      if (found instanceof RefusalError) throw found;
      // Who shows a certificate is its subject, whatever else is sent; a token can only take away from that.
      if (call.peer !== undefined && providers.certificate !== undefined)
        call.principal = providers.certificate.identify(call.peer);
      if (found !== undefined) return admit(call, found);
      call.principal ??= anonymous!;
      return undefined;
    },
  };
}

/**
 * Whether the headers alone say that a call will be refused: it has no credentials, or none of a kind that is taken here. The
 * body of such a call need not be kept.
 */
export function refusedByHeaders(parts: AuthenticationParts, call: CallHead): boolean {
  if (!parts.settings.authEnabled || !call.method.governance.authenticationRequired) return false;
  return credentialsIn(call, parts) instanceof RefusalError;
}

export type CallHead = Pick<Call, "method" | "headers" | "peer">;
type AuthenticationParts = Pick<PipelineParts, "plane" | "settings" | "providers">;

interface Credentials {
  readonly provider: AuthenticationProvider;
  readonly credential: string;
}

/** `undefined`: there are none but perhaps a certificate, and no others are needed. */
function credentialsIn(call: CallHead, parts: AuthenticationParts): Credentials | RefusalError | undefined {
  const { providers } = parts;
  const authorization = call.headers.get("authorization");
  const apiKey = call.headers.get("x-api-key");
  if (authorization !== undefined && apiKey !== undefined)
    return unauthenticated("send either Authorization or X-API-Key, not both");
  if (authorization !== undefined) {
    const token = bearerToken(authorization);
    return token instanceof RefusalError ? token : credentials(providers.bearer, token, "bearer tokens");
  }
  if (apiKey !== undefined) return credentials(providers.apiKey, apiKey, "API keys");
  if (call.peer !== undefined && providers.certificate !== undefined) return undefined;
  // What this server is and how it knows its callers is told to known callers only.
  const isClosed = !takesAnonymous(parts) || call.method.governance.resource === "meta";
  return isClosed ? unauthenticated("credentials are required") : undefined;
}

/** Callers of the internal plane are services: each is known. */
function takesAnonymous({ plane, settings }: AuthenticationParts): boolean {
  return plane === "external" && settings.anonymousTenant !== undefined;
}

function credentials(
  provider: AuthenticationProvider | undefined,
  credential: string,
  kind: string,
): Credentials | RefusalError {
  if (provider === undefined) return unauthenticated(`${kind} are not accepted here`);
  return { provider, credential };
}

function admit(call: Call, { provider, credential }: Credentials): void | Promise<void> {
  const certified = call.principal;
  const take = (found: Principal) => {
    call.principal = certified === undefined ? found : narrowed(certified, found);
  };
  const found = provider.authenticate(credential, call);
  if (found instanceof Promise) return found.then(take);
  take(found);
  return undefined;
}

/** What both the certificate and the token allow; the caller stays the certificate's subject. */
function narrowed(certified: Principal, token: Principal): Principal {
  const tenant = certified.tenant ?? token.tenant;
  if (tenant !== undefined && token.tenant !== undefined && tenant !== token.tenant)
    throw new RefusalError(refuse("TENANT_MISMATCH", "the token is for another tenant than the certificate"));
  const scopes = certified.scopes?.filter((name) => token.scopes?.includes(name) ?? true) ?? token.scopes;
  return {
    ...certified,
    ...(tenant !== undefined && { tenant }),
    ...(scopes !== undefined && { scopes }),
  };
}

function bearerToken(authorization: string): string | RefusalError {
  if (authorization.slice(0, 7).toLowerCase() !== "bearer " || authorization.length < 8)
    return unauthenticated("Authorization must be a bearer token");
  return authorization.slice(7).trim();
}

function unauthenticated(detail: string): RefusalError {
  return new RefusalError(refuse("UNAUTHENTICATED", detail));
}

/** With authentication off; the internal plane's methods ask for the role `service` on top. */
const devPrincipals = {
  external: devPrincipal(["admin"]),
  internal: devPrincipal(["admin", "service"]),
};

function devPrincipal(roles: readonly string[]): Principal {
  return {
    kind: "anonymous",
    subject: "dev",
    tenant: devTenantId,
    roles,
    environmentMode: "any",
    operates: true,
  };
}

function viewerOf(tenant: string): Principal {
  return { kind: "anonymous", subject: "anonymous", tenant, roles: ["viewer"], environmentMode: "any" };
}
