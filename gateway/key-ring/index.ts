/**
 * Named 32-byte keys and the one envelope for what must not be readable where it is stored. It holds no data: a key that
 * is lost takes with it what was sealed under it.
 */
export { createKeyRing, type Keys } from "./key-ring.ts";
export { loadKeys } from "./load-keys.ts";
