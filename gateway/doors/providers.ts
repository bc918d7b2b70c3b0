import { type Access, apiKeyRevokedTopic, type KeyHasher, sessionEndedTopic } from "#actors";
import { systemClock } from "#base";
import { type Asker, type Logger, missedTopic, type Runtime } from "#runtime";
import type { Plane } from "../calls/call.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import type { Providers } from "../calls/stages/stage.ts";
import type { Config, Identity } from "../config/index.ts";
import { createOutgoing } from "../egress/index.ts";
import {
  ApiKeys,
  certificates,
  IssuerKeys,
  OidcClient,
  oidcTokens,
  Sessions,
  serviceTokens,
} from "../identity/index.ts";

export interface ProviderParts {
  readonly config: Config;
  readonly asker: Asker & Pick<Runtime, "onBroadcast">;
  readonly access: Access;
  readonly hasher: KeyHasher;
  readonly openCalls: OpenCalls;
  readonly log: Logger;
}

/** Who vouches for the callers of each plane, as the settings say. */
export interface OpenProviders extends Readonly<Record<Plane, Providers>> {
  close(): Promise<void>;
}

export function openProviders(parts: ProviderParts): OpenProviders {
  const { config } = parts;
  if (!config["auth.enabled"]) return { external: {}, internal: {}, close: async () => undefined };
  const issuer = config["api.oidc_issuer"] === "" ? undefined : openOidc(parts);
  const vouching = {
    ...(issuer && { bearer: issuer.provider }),
    ...(config["auth.api_key_enabled"] && { apiKey: openApiKeys(parts) }),
  };
  const publicUrl = config["server.public_url"].replace(/\/$/, "");
  const session = openSessions({
    ...parts,
    ...vouching,
    ...(issuer?.client && { oidc: issuer.client }),
    publicUrl,
  });
  return {
    external: { ...vouching, session },
    internal: internalProviders(parts),
    close: async () => issuer?.close(),
  };
}

/** Hears of sessions that end. Ends that may have been missed are looked for as those of keys are. */
export function openSessions({
  asker,
  openCalls,
  ...more
}: Pick<ProviderParts, "asker" | "openCalls"> &
  Omit<ConstructorParameters<typeof Sessions>[0], "asker" | "clock">): Sessions {
  const sessions = new Sessions({ ...more, asker, clock: systemClock });
  asker.onBroadcast((topic, payload) => {
    if (topic === sessionEndedTopic) {
      const { id, subject } = payload as { id: string; subject: string };
      sessions.ended(id);
      openCalls.doubt(subject);
    } else if (topic === missedTopic) {
      sessions.doubt();
      openCalls.doubt();
    }
  });
  return sessions;
}

/** Hears of revocations. Those that may have been missed are looked for: at the next call of a key, and for open ones now. */
export function openApiKeys({
  asker,
  hasher,
  openCalls,
}: Omit<ProviderParts, "config" | "access" | "log">): ApiKeys {
  const keys = new ApiKeys({ asker, hasher, clock: systemClock });
  asker.onBroadcast((topic, payload) => {
    if (topic === apiKeyRevokedTopic) {
      const { id } = payload as { id: string };
      keys.revoked(id);
      openCalls.doubt(`api_key:${id}`);
    } else if (topic === missedTopic) {
      keys.doubt();
      openCalls.doubt();
    }
  });
  return keys;
}

/** The issuer's own host is what the operator named: it may be private. What it leads to may not, unless that is allowed too. */
function openOidc({ config, access, log }: ProviderParts) {
  const issuer = config["api.oidc_issuer"];
  const outgoing = createOutgoing({
    mode: "enforce",
    allowedDomains: [...config["egress.allowed_domains"], new URL(issuer).hostname.replace(/^\[|\]$/g, "")],
    allowedNetworks: config["egress.allowed_ip_nets"],
  });
  const provider = oidcTokens({
    issuer,
    audience: config["api.oidc_audience"],
    tenantClaim: config["api.oidc_tenant_claim"],
    keys: new IssuerKeys({ issuer, outgoing, clock: systemClock, log }),
    access,
    clock: systemClock,
  });
  const clientId = config["console.oidc_client_id"];
  const client =
    clientId === ""
      ? undefined
      : new OidcClient({
          issuer,
          clientId,
          clientSecret: config["console.oidc_client_secret"],
          scopes: config["console.oidc_scopes"],
          outgoing,
          clock: systemClock,
          log,
        });
  return { provider, client, close: () => outgoing.close() };
}

function internalProviders({ config, access }: ProviderParts): Providers {
  const secrets = [config["internal.token_secret"], config["internal.token_secret_previous"]];
  const known = secrets.filter((secret) => secret !== "");
  const identities = config["internal.identities"];
  checkIdentities(identities, access);
  return {
    ...(known.length > 0 && { bearer: serviceTokens(known, access, systemClock) }),
    ...(config["server.internal_require_mtls"] && { certificate: certificates(identities, systemClock) }),
  };
}

function checkIdentities(identities: Readonly<Record<string, Identity>>, access: Access): void {
  for (const [name, { roles, scopes = [] }] of Object.entries(identities)) {
    const role = roles.find((one) => !access.isRole(one));
    const scope = scopes.find((one) => !access.isPermission(one));
    if (role !== undefined) throw new Error(`internal.identities: ${name}: there is no role ${role}`);
    if (scope !== undefined) throw new Error(`internal.identities: ${name}: there is no scope ${scope}`);
  }
}
