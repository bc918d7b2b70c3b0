/**
 * Named 32-byte keys and the one envelope for what must not be readable where it is stored, and Ed25519 keys in files. It holds no
 * data: a key that is lost takes with it what was encrypted under it.
 */
export { createKeyRing, type Keys } from "./key-ring.ts";
export { loadKeys } from "./load-keys.ts";
export { createSigner, loadEvidenceKey, makeSigningKey, readSigningKey } from "./signing-key.ts";
