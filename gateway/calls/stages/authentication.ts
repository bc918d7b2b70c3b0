import { devTenantId, refusalError } from "#base";
import type { Call, PeerCertificate, Principal } from "../call.ts";
import { CredentialError, type CredentialKind, type CredentialReason, reasonOf } from "./credential-error.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** Finds out who calls. One kind of credentials per request: two could name two callers. */
export function authentication({ plane, settings, providers, telemetry }: PipelineParts): Stage {
  const everyone = settings.authEnabled ? undefined : devPrincipals[plane];
  // Callers of the internal plane are services: each is known.
  const anonymous =
    plane === "external" && settings.anonymousTenant !== undefined
      ? viewerOf(settings.anonymousTenant)
      : undefined;

  return {
    name: "authentication",
    enter: (call) => identify(call, telemetry),
    again: (call) => identify(call, untold),
  };

  function identify(call: Call, told: Told): void | Promise<void> {
    // A module of ours was not let in by a door: it calls for a caller that was.
    if (call.principal?.kind === "module") return undefined;
    const apiKey = call.headers.get("x-api-key");
    const sandbox = apiKey === undefined ? undefined : providers.sandbox?.(apiKey);
    const given = sandbox ?? everyone;
    if (given !== undefined) {
      call.principal = given;
      return undefined;
    }
    if (!call.method.governance.authenticationRequired) return undefined;
    const found = credentialsIn(call, apiKey, told);
    // Who shows a certificate is its subject, whatever else is sent; a token can only take away from that.
    const certified = hasCertificate(call) ? certify(call, call.peer!, told) : undefined;
    if (found !== undefined) return admit(call, found, certified, told);
    call.principal = certified ?? anonymous!;
    if (certified === undefined) told.credentialsAccepted(call, "anonymous");
    return undefined;
  }

  function hasCertificate({ peer }: Call): boolean {
    return peer !== undefined && providers.certificate !== undefined;
  }

  /** `undefined`: there are none but perhaps a certificate, and no others are needed. */
  function credentialsIn(call: Call, apiKey: string | undefined, told: Told): Credentials | undefined {
    const unusable = (kind: CredentialKind, why: CredentialReason, detail: string) =>
      refused(call, kind, new CredentialError(why, detail), told);
    const authorization = call.headers.get("authorization");
    const cookie = providers.session?.cookieOf(call);
    if (cookie !== undefined && (authorization ?? apiKey) !== undefined)
      throw unusable("session", "two_kinds", "a session takes no other credentials beside it");
    if (authorization !== undefined && apiKey !== undefined)
      throw unusable("none", "two_kinds", "send either Authorization or X-API-Key, not both");
    if (authorization !== undefined) {
      const token = bearerToken(authorization);
      if (token === undefined) throw unusable("bearer", "malformed", "Authorization must be a bearer token");
      if (providers.bearer === undefined)
        throw unusable("bearer", "not_accepted", "bearer tokens are not accepted here");
      return { kind: "bearer", prove: () => providers.bearer!.authenticate(token, call) };
    }
    if (apiKey !== undefined) {
      if (providers.apiKey === undefined)
        throw unusable("api_key", "not_accepted", "API keys are not accepted here");
      return { kind: "api_key", prove: () => providers.apiKey!.authenticate(apiKey, call) };
    }
    if (cookie !== undefined)
      return { kind: "session", prove: () => providers.session!.authenticate(cookie, call) };
    // What this server is and how it knows its callers is told to known callers only.
    const isClosed = anonymous === undefined || call.method.governance.resource === "meta";
    if (isClosed && !hasCertificate(call)) throw unusable("none", "missing", "credentials are required");
    return undefined;
  }

  function certify(call: Call, peer: PeerCertificate, told: Told): Principal {
    try {
      const principal = providers.certificate!.identify(peer);
      told.credentialsAccepted(call, "certificate");
      return principal;
    } catch (thrown) {
      throw refused(call, "certificate", thrown, told);
    }
  }

  function admit(
    call: Call,
    { kind, prove }: Credentials,
    certified: Principal | undefined,
    told: Told,
  ): void | Promise<void> {
    const accept = (found: Principal) => {
      call.principal = certified === undefined ? found : narrowed(certified, found);
      told.credentialsAccepted(call, kind);
    };
    let found: Principal | Promise<Principal>;
    try {
      found = prove();
    } catch (thrown) {
      throw refused(call, kind, thrown, told);
    }
    if (!(found instanceof Promise)) return accept(found);
    return found.then(accept, (thrown) => {
      throw refused(call, kind, thrown, told);
    });
  }

  function refused(call: Call, kind: CredentialKind, thrown: unknown, told: Told): unknown {
    told.credentialsRefused(call, kind, reasonOf(thrown));
    return thrown;
  }
}

type Told = Pick<PipelineParts["telemetry"], "credentialsAccepted" | "credentialsRefused">;

/** One call counts once, however often it is looked at. */
const untold: Told = { credentialsAccepted: () => undefined, credentialsRefused: () => undefined };

interface Credentials {
  readonly kind: CredentialKind;
  readonly prove: () => Principal | Promise<Principal>;
}

/** What both the certificate and the token allow; the caller stays the certificate's subject. */
function narrowed(certified: Principal, token: Principal): Principal {
  const tenant = certified.tenant ?? token.tenant;
  if (tenant !== undefined && token.tenant !== undefined && tenant !== token.tenant)
    throw refusalError("TENANT_MISMATCH", "the token is for another tenant than the certificate");
  const scopes = certified.scopes?.filter((name) => token.scopes?.includes(name) ?? true) ?? token.scopes;
  const ends = [certified, token].flatMap(({ expiresAtMs }) => expiresAtMs ?? []);
  return {
    ...certified,
    ...(tenant !== undefined && { tenant }),
    ...(scopes !== undefined && { scopes }),
    ...(ends.length > 0 && { expiresAtMs: Math.min(...ends) }),
  };
}

function bearerToken(authorization: string): string | undefined {
  if (authorization.slice(0, 7).toLowerCase() !== "bearer " || authorization.length < 8) return undefined;
  return authorization.slice(7).trim();
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
