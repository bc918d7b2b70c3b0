import { createHmac } from "node:crypto";

/** Standard Webhooks: the receiver checks who sent it, when, and whether it has seen it. */
export function webhookHeaders(
  secret: string,
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const signature = standardSignature(secret, { id, timestamp, body });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

/** As standardwebhooks.com says: `v1,` and the MAC of id, time and body. */
export function standardSignature(
  secret: string,
  {
    id,
    timestamp,
    body,
  }: { readonly id: string; readonly timestamp: string; readonly body: string | Buffer },
): string {
  const prefix = "whsec_";
  const key = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), "base64")
    : Buffer.from(secret);
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
