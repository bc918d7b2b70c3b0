import { refuse } from "#base";
import type { KeyRing } from "../parts.ts";

/** Which stored secret an envelope is of: it opens for no other. */
export interface SealedFor {
  readonly kind: "provider_config" | "connection" | "connect_session" | "trigger_subscription";
  readonly tenant: string;
  readonly environment: string;
  readonly id: string;
  /** Of the credentials: an older envelope does not open as a newer one. */
  readonly version: number;
}

export function seal(keyRing: KeyRing, value: unknown, of: SealedFor): string {
  const plain = Buffer.from(JSON.stringify(value));
  return Buffer.from(keyRing.seal(plain, partsOf(of))).toString("base64");
}

/** `undefined`: sealed for another record, under a key that is not here, or changed since. */
export function open<T>(keyRing: KeyRing, sealed: string, of: SealedFor): T | undefined {
  const plain = keyRing.open(Buffer.from(sealed, "base64"), partsOf(of));
  return plain === undefined ? undefined : (JSON.parse(Buffer.from(plain).toString()) as T);
}

export function keyIdOf(keyRing: KeyRing, sealed: string): string {
  return keyRing.keyIdOf(Buffer.from(sealed, "base64")) ?? "";
}

export const unconfigured = refuse(
  "FAILED_PRECONDITION",
  "no key seals credentials here: set connector.encryption_key",
  { reason: "ENCRYPTION_UNCONFIGURED" },
);

function partsOf({ kind, tenant, environment, id, version }: SealedFor): string[] {
  return [kind, tenant, environment, id, String(version)];
}
