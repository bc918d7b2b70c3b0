import { devTenantId, RefusalError, refuse } from "#base";
import type { Call, Principal } from "../call.ts";
import type { AuthenticationProvider, PipelineParts, Stage } from "./stage.ts";

/** Finds out who calls. One kind of credentials per request: two could name two callers. */
export function authentication({ plane, settings, providers }: PipelineParts): Stage {
  const everyone = settings.authEnabled ? undefined : devPrincipals[plane];
  const anonymous = settings.anonymousTenant === undefined ? undefined : viewerOf(settings.anonymousTenant);

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
      const authorization = call.headers.get("authorization");
      const apiKey = call.headers.get("x-api-key");
      if (authorization !== undefined && apiKey !== undefined)
        throw unauthenticated("send either Authorization or X-API-Key, not both");
      if (authorization !== undefined)
        return admit(call, providers.bearer, bearerToken(authorization), "bearer tokens");
      if (apiKey !== undefined) return admit(call, providers.apiKey, apiKey, "API keys");
      if (call.peer !== undefined && providers.certificate !== undefined)
        return admit(call, providers.certificate, "", "certificates");
      if (anonymous === undefined) throw unauthenticated("credentials are required");
      call.principal = anonymous;
      return undefined;
    },
  };
}

function admit(
  call: Call,
  provider: AuthenticationProvider | undefined,
  credential: string,
  kind: string,
): void | Promise<void> {
  if (provider === undefined) throw unauthenticated(`${kind} are not accepted here`);
  const found = provider.authenticate(credential, call);
  if (!(found instanceof Promise)) {
    call.principal = found;
    return undefined;
  }
  return found.then((principal) => {
    call.principal = principal;
  });
}

function bearerToken(authorization: string): string {
  if (authorization.slice(0, 7).toLowerCase() !== "bearer " || authorization.length < 8)
    throw unauthenticated("Authorization must be a bearer token");
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
  return { kind: "anonymous", subject: "dev", tenant: devTenantId, roles, environmentMode: "any" };
}

function viewerOf(tenant: string): Principal {
  return { kind: "anonymous", subject: "anonymous", tenant, roles: ["viewer"], environmentMode: "any" };
}
