import { createSecretKey, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Access } from "#actors";
import { type Clock, isUlid, limits } from "#base";
import type { Principal } from "../calls/call.ts";
import type { AuthenticationProvider } from "../calls/stages/stage.ts";
import { checkTimes, namesOf, notValid, readToken } from "./token.ts";

const issuer = "service";
const audience = "service-internal";

/** Service tokens of the internal plane: HS256, five minutes at most. Of two secrets, the second is on its way out. */
export function serviceTokens(
  secrets: readonly string[],
  access: Access,
  clock: Clock,
): AuthenticationProvider {
  const keys = secrets.map(signingKey);
  return {
    authenticate(token): Principal {
      const { claims } = readToken(token, ["HS256"]);
      checkTimes(claims, clock.now());
      if (!keys.some((key) => isSigned(token, key, clock)))
        throw notValid("its signature, issuer, audience or time is wrong");
      const { sub, iat, exp, tenant_id: tenant, scope } = claims;
      if (typeof sub !== "string" || sub === "") throw notValid("it has no subject");
      if (typeof iat !== "number" || (exp as number) - iat > limits.serviceTokenSecondsMax)
        throw notValid(`it must not live longer than ${limits.serviceTokenSecondsMax} seconds`);
      if (tenant !== undefined && (typeof tenant !== "string" || !isUlid(tenant)))
        throw notValid("its tenant_id is not a tenant's id");
      return {
        kind: "service",
        subject: sub,
        ...(tenant !== undefined && { tenant }),
        roles: ["service", "admin"],
        // Its maker meant to narrow it, whatever became of the names.
        ...(scope !== undefined && { scopes: namesOf(scope).filter((name) => access.isPermission(name)) }),
        environmentMode: "any",
        expiresAtMs: (exp as number) * 1_000,
      };
    },
  };
}

export interface TokenRequest {
  readonly secret: string;
  readonly subject: string;
  readonly tenant?: string;
  readonly seconds?: number;
}

export function makeServiceToken({ secret, subject, tenant, seconds }: TokenRequest): string {
  return jwt.sign(tenant === undefined ? {} : { tenant_id: tenant }, signingKey(secret), {
    algorithm: "HS256",
    issuer,
    audience,
    subject,
    expiresIn: seconds ?? limits.serviceTokenSecondsMax,
  });
}

/** Given a text, the library first tries to read it as a public key, which costs thirty times as much as the check itself. */
function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret));
}

function isSigned(token: string, key: KeyObject, clock: Clock): boolean {
  try {
    jwt.verify(token, key, {
      algorithms: ["HS256"],
      issuer,
      audience,
      clockTimestamp: Math.floor(clock.now() / 1_000),
      clockTolerance: limits.tokenClockToleranceMs / 1_000,
    });
    return true;
  } catch {
    return false;
  }
}
