import { createHmac, createPrivateKey, sign } from "node:crypto";

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

/** Ed25519: a receiver checks it by the public key and cannot sign itself. `seed`: the 32 bytes of the private key. */
export function asymmetricSignature(
  seed: Uint8Array,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string },
): string {
  const signed = sign(null, Buffer.from(`${id}.${timestamp}.${body}`), privateKeyOf(seed));
  return `v1a,${signed.toString("base64")}`;
}

/** RFC 8410: what stands before the seed in PKCS #8. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

export function privateKeyOf(seed: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
}
