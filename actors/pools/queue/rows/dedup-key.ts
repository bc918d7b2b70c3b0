import { createHash } from "node:crypto";
import { limits } from "#base";

/** Under which a dedup id is remembered: itself, or a hash where its 256 characters make more bytes than a row's key has. */
export function dedupKey(dedupId: string): string {
  if (dedupId.length <= limits.dedupLengthMax) return `d:${dedupId}`;
  return `h:${createHash("sha256").update(dedupId).digest("hex")}`;
}
