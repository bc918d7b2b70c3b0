import { RefusalError, refuse, systemTenantId } from "#base";
import type { Principal } from "../../../gateway/calls/call.ts";
import type { AuthenticationProvider, Providers } from "../../../gateway/calls/stages/stage.ts";

export const tenantA = "0000000000000000000000000A";
export const tenantB = "0000000000000000000000000B";

/** The principal of each test token. */
const principals: Readonly<Record<string, Principal>> = {
  viewer: principal({ subject: "vera", tenant: tenantA, roles: ["viewer"] }),
  operator: principal({ subject: "otto", tenant: tenantA, roles: ["operator"] }),
  admin: principal({ subject: "anna", tenant: tenantA, roles: ["admin"] }),
  narrowed: principal({ subject: "nina", tenant: tenantA, roles: ["admin"], scopes: ["probe:read"] }),
  scoped: principal({
    kind: "api_key",
    subject: "key",
    tenant: tenantA,
    roles: ["service"],
    scopes: ["probe:write"],
  }),
  unscoped: principal({ kind: "api_key", subject: "key", tenant: tenantA, roles: ["service"] }),
  prober: principal({ subject: "petra", tenant: tenantA, roles: ["prober"] }),
  stranger: principal({ subject: "sam", tenant: tenantA, roles: ["plumber"] }),
  platform: principal({ kind: "service", subject: "platform", roles: ["service", "admin"] }),
  root: principal({ subject: "rita", tenant: systemTenantId, roles: ["admin"] }),
};

/** For tests only: a bearer token or key is the name of a principal; `slow-…` takes a moment, `broken` fails. */
const provider: AuthenticationProvider = {
  authenticate(credential) {
    if (credential === "broken") throw new Error("the identity provider is down: secret-host");
    if (credential.startsWith("slow-")) return Promise.resolve().then(() => find(credential.slice(5)));
    return find(credential);
  },
};

export const testProviders: Providers = { bearer: provider, apiKey: provider };

/**
 * For tests only: `admin@<tenant>` is a token of such a principal, `admin@<tenant>@<mode>` one that is limited to environments;
 * without a tenant it is a platform principal.
 */
const byTenant: AuthenticationProvider = {
  authenticate(credential) {
    const [role = "", tenant, mode = "any"] = credential.split("@");
    const roles = tenant === undefined ? ["admin", "service"] : [role];
    return principal({
      kind: tenant === undefined ? "service" : "user",
      subject: credential,
      roles,
      environmentMode: mode as Principal["environmentMode"],
      ...(tenant !== undefined && { tenant }),
    });
  },
};

export const byTenantProviders: Providers = { bearer: byTenant };

function find(name: string): Principal {
  const found = principals[name];
  if (found === undefined) throw new RefusalError(refuse("UNAUTHENTICATED", "the token is not known"));
  return found;
}

function principal(parts: Partial<Principal> & { subject: string }): Principal {
  return { kind: "user", roles: [], environmentMode: "any", ...parts };
}
