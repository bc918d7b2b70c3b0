import type { Clock } from "#base";
import type { Principal } from "../calls/call.ts";
import { CredentialError } from "../calls/stages/credential-error.ts";
import type { CertificateProvider } from "../calls/stages/stage.ts";
import type { Identity } from "../config/index.ts";

/** Client certificates of the internal plane: a name in them (SPIFFE id or DNS name) leads to an identity of the settings. */
export function certificates(
  identities: Readonly<Record<string, Identity>>,
  clock: Clock,
): CertificateProvider {
  const byName = new Map(
    Object.entries(identities).map(([name, identity]) => [name, principalOf(name, identity)]),
  );
  return {
    identify({ names, expiresAtMs }) {
      // It was good when the connection began, which may have been long ago.
      if (expiresAtMs <= clock.now())
        throw new CredentialError("expired", "the client certificate has expired");
      for (const name of names) {
        const found = byName.get(name);
        if (found !== undefined) return { ...found, expiresAtMs };
      }
      const detail = "no name of the client certificate is in internal.identities";
      throw new CredentialError("unmapped", detail, "PERMISSION_DENIED");
    },
  };
}

function principalOf(name: string, { roles, scopes, tenant }: Identity): Principal {
  return {
    kind: "service",
    subject: name,
    ...(tenant !== undefined && { tenant }),
    roles,
    ...(scopes !== undefined && { scopes }),
    environmentMode: "any",
  };
}
