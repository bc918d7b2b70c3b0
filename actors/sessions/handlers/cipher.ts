import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts for one use (`console_session 01J…`) with a key that is made of the secret and that use. */
export function encryptFor(use: string, secret: Uint8Array, value: object): string {
  const nonce = randomBytes(nonceBytes);
  const encrypting = createCipheriv(cipher, keyOf(use, secret), nonce);
  const body = Buffer.concat([encrypting.update(JSON.stringify(value)), encrypting.final()]);
  return Buffer.concat([nonce, encrypting.getAuthTag(), body]).toString("base64url");
}

/** `undefined`: of another secret or use, or changed since. */
export function decryptFor<Value>(use: string, secret: Uint8Array, text: string): Value | undefined {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const decrypting = createDecipheriv(cipher, keyOf(use, secret), nonce, { authTagLength: tagBytes });
  decrypting.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const body = Buffer.concat([
      decrypting.update(bytes.subarray(nonceBytes + tagBytes)),
      decrypting.final(),
    ]);
    return JSON.parse(body.toString()) as Value;
  } catch {
    return undefined;
  }
}

function keyOf(use: string, secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", use, 32));
}
