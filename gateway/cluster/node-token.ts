import jwt from "jsonwebtoken";
import { limits } from "#base";

const issuer = "service";
/** Not that of service tokens: a caller of the internal plane is no node. */
const audience = "service-node";

export function makeNodeToken(secret: string, node: string): string {
  const expiresIn = limits.serviceTokenSecondsMax;
  return jwt.sign({}, secret, { algorithm: "HS256", issuer, audience, subject: node, expiresIn });
}

/** Whether one of the secrets signed it for this node. */
export function isNodeToken(token: string, secrets: readonly string[], node: string): boolean {
  return secrets.some((secret) => {
    try {
      const clockTolerance = limits.tokenClockToleranceMs / 1_000;
      jwt.verify(token, secret, { algorithms: ["HS256"], issuer, audience, subject: node, clockTolerance });
      return true;
    } catch {
      return false;
    }
  });
}
