import { createHash } from "node:crypto";

/** 32 characters of base64url that stand for a key: what push services collapse repeats by. */
export function collapseKey(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 32);
}
