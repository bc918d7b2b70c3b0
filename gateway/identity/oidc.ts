import { errors, jwtVerify } from "jose";
import type { Access } from "#actors";
import { type Clock, isUlid, limits } from "#base";
import type { Principal } from "../calls/call.ts";
import type { AuthenticationProvider } from "../calls/stages/stage.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { type Claims, checkTimes, namesOf, notValid, readToken } from "./token.ts";

interface OidcParts {
  readonly issuer: string;
  readonly audience: string;
  readonly tenantClaim: string;
  readonly keys: IssuerKeys;
  readonly access: Access;
  readonly clock: Clock;
}

const algorithms = ["RS256", "ES256", "EdDSA"];

/** Access tokens of one OIDC issuer. Headers that bring a key of their own (`jwk`, `jku`, `x5c`, `x5u`) are not looked at. */
export function oidcTokens(parts: OidcParts): AuthenticationProvider {
  const { issuer, audience, keys, clock } = parts;
  return {
    async authenticate(token) {
      const { header, claims } = readToken(token, algorithms);
      checkTimes(claims, clock.now());
      checkAccessToken(header, claims);
      // Before the keys are asked for: a token of another issuer is no reason to ask ours.
      if (claims.iss !== issuer) throw notValid("it is of another issuer");
      try {
        await jwtVerify(token, (protectedHeader, jws) => keys.keyOf(protectedHeader, jws), {
          algorithms,
          issuer,
          audience,
          requiredClaims: ["iss", "aud", "exp"],
          clockTolerance: limits.tokenClockToleranceMs / 1_000,
          currentDate: new Date(clock.now()),
        });
      } catch (error) {
        if (error instanceof errors.JOSEError)
          throw notValid(reasonOf(error), error instanceof errors.JWTExpired ? "expired" : "invalid");
        throw error;
      }
      return principalOf(claims, parts);
    },
  };
}

/** An ID token tells a client who signed in; it is no permission to call us. */
function checkAccessToken(header: Claims, claims: Claims): void {
  const { typ } = header;
  const isTyped = typ === undefined || (typeof typ === "string" && /^(application\/)?(at\+)?jwt$/i.test(typ));
  if (!isTyped) throw notValid("its type is not that of an access token");
  if (["nonce", "at_hash", "c_hash"].some((name) => claims[name] !== undefined))
    throw notValid("it is an ID token, not an access token");
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is wrong`;
  return "its signature is wrong or its key is not known";
}

function principalOf(claims: Claims, { tenantClaim, access }: OidcParts): Principal {
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "") throw notValid("it has no subject");
  const tenant = claims[tenantClaim];
  if (typeof tenant !== "string" || !isUlid(tenant))
    throw notValid(`its claim ${tenantClaim} is not a tenant's id`);
  const named = [...namesOf(claims.scope), ...namesOf(claims.scp)];
  const scopes = named.filter((name) => access.isPermission(name));
  return {
    kind: "user",
    subject: sub,
    tenant,
    roles: namesOf(claims.roles).filter((name) => access.isRole(name)),
    ...(scopes.length > 0 && { scopes }),
    environmentMode: "any",
    expiresAtMs: (claims.exp as number) * 1_000,
  };
}
