import type { Random } from "#base";

/** Secrets from a seed, for worlds in which the same seed must give the same log. */
export function seededSecret(random: Random): (bytes: number) => string {
  return (bytes) => Buffer.from(Array.from({ length: bytes }, () => random.int(256))).toString("base64url");
}
