import { createHmac, timingSafeEqual } from "node:crypto";
import { isUlid } from "#base";

/** What the address in a mail allows. Signed with the secret of the subscriber's audience, and with nothing else. */
export type Link =
  /** Once, until the time that the endpoint has. */
  | {
      readonly type: "confirm";
      readonly tenant: string;
      readonly subscriberId: string;
      readonly endpointId: string;
      readonly nonce: string;
    }
  | {
      readonly type: "unsubscribe";
      readonly tenant: string;
      readonly subscriberId: string;
      readonly workflowKey: string;
      readonly topicKey: string;
    };

export const confirmPath = "/notifications/confirm";
export const unsubscribePath = "/notifications/unsubscribe";

const macBytes = 16;
const separator = "\n";

export function signLink(secret: string, link: Link): string {
  const { type, tenant, subscriberId } = link;
  const [first, second] =
    link.type === "confirm" ? [link.endpointId, link.nonce] : [link.workflowKey, link.topicKey];
  const claims = Buffer.from([type, tenant, subscriberId, first, second].join(separator));
  return Buffer.concat([macOf(secret, claims), claims]).toString("base64url");
}

/** What a token says, unchecked: who it names must check it. */
export function readLink(token: string): Link | undefined {
  const claims = Buffer.from(token, "base64url").subarray(macBytes).toString().split(separator);
  const [type, tenant = "", subscriberId = "", first = "", second = ""] = claims;
  if (claims.length !== 5 || !isUlid(tenant) || !isUlid(subscriberId)) return undefined;
  if (type === "confirm") return { type, tenant, subscriberId, endpointId: first, nonce: second };
  return type === "unsubscribe"
    ? { type, tenant, subscriberId, workflowKey: first, topicKey: second }
    : undefined;
}

/** What the token says, where this secret has signed exactly that. */
export function openLink(secret: string, token: string): Link | undefined {
  const bytes = Buffer.from(token, "base64url");
  const claims = bytes.subarray(macBytes);
  const mac = macOf(secret, claims);
  const isSigned = bytes.length > macBytes && timingSafeEqual(bytes.subarray(0, macBytes), mac);
  return secret !== "" && isSigned ? readLink(token) : undefined;
}

function macOf(secret: string, claims: Buffer): Buffer {
  return createHmac("sha256", secret)
    .update("notification link\n")
    .update(claims)
    .digest()
    .subarray(0, macBytes);
}
