import { createHmac } from "node:crypto";

/** Standard Webhooks: the receiver checks who sent it, when, and whether it has seen it. `whsec_…` is base64, all else the key itself. */
export function webhookHeaders(
  secret: string,
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const prefix = "whsec_";
  const key = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), "base64")
    : Buffer.from(secret);
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}
