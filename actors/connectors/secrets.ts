import { refuse } from "#base";
import type { KeyRing } from "../parts.ts";

/** Which stored secret an envelope is of: it can be decrypted for no other. */
export interface EncryptedFor {
  readonly kind: "provider_config" | "connection" | "connect_session" | "trigger_subscription";
  readonly tenant: string;
  readonly environment: string;
  readonly id: string;
  /** Of the credentials: an older envelope cannot be decrypted as a newer one. */
  readonly version: number;
}

export function encrypt(keyRing: KeyRing, value: unknown, of: EncryptedFor): string {
  const plain = Buffer.from(JSON.stringify(value));
  return Buffer.from(keyRing.encrypt(plain, partsOf(of))).toString("base64");
}

/** `undefined`: encrypted for another record, under a key that is not here, or changed since. */
export function decrypt<T>(keyRing: KeyRing, encrypted: string, of: EncryptedFor): T | undefined {
  const plain = keyRing.decrypt(Buffer.from(encrypted, "base64"), partsOf(of));
  return plain === undefined ? undefined : (JSON.parse(Buffer.from(plain).toString()) as T);
}

export function keyIdOf(keyRing: KeyRing, encrypted: string): string {
  return keyRing.keyIdOf(Buffer.from(encrypted, "base64")) ?? "";
}

export const unconfigured = refuse(
  "FAILED_PRECONDITION",
  "no key encrypts credentials here: set connector.encryption_key",
  { reason: "ENCRYPTION_UNCONFIGURED" },
);

function partsOf({ kind, tenant, environment, id, version }: EncryptedFor): string[] {
  return [kind, tenant, environment, id, String(version)];
}
