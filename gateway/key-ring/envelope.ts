import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";

export const keyBytes = 32;
export const nonceBytes = 24;

/** XChaCha20-Poly1305: plain bytes to ciphertext with its tag. */
export function encrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  associated: Uint8Array,
  plain: Uint8Array,
): Uint8Array {
  return xchacha20poly1305(key, nonce, associated).encrypt(plain);
}

/** The plain bytes; `undefined` where key, nonce, associated data or ciphertext are not those of the encryption. */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  associated: Uint8Array,
  encrypted: Uint8Array,
): Uint8Array | undefined {
  try {
    return xchacha20poly1305(key, nonce, associated).decrypt(encrypted);
  } catch {
    return undefined;
  }
}
