import { RefusalError, refuse } from "#base";
import type { KeyRing, ModuleParts } from "../parts.ts";

type Keys = Pick<ModuleParts, "keyRing">;

/** Which stored secret an envelope is of: it can be decrypted for no other. */
export interface EncryptedFor {
  readonly kind: "provider_config" | "connection" | "connect_session" | "trigger_subscription" | "webhook";
  readonly tenant: string;
  readonly environment: string;
  readonly id: string;
  /** Of the credentials: an older envelope cannot be decrypted as a newer one. */
  readonly version: number;
}

/** An encrypted secret, as it is stored. */
export interface EncryptedSecret {
  readonly encrypted: string;
  readonly version: number;
  readonly keyId: string;
}

/** Which secret of a record; sessions and subscriptions are of their connection's tenant and environment. */
export function secretOf(
  kind: EncryptedFor["kind"],
  { tenant, environment, id }: Pick<EncryptedFor, "tenant" | "environment" | "id">,
  version = 0,
): EncryptedFor {
  return { kind, tenant, environment, id, version };
}

/** Throws a RefusalError where no key is configured. */
export function encrypt({ keyRing }: Keys, value: unknown, of: EncryptedFor): EncryptedSecret {
  if (keyRing === undefined) throw new RefusalError(unconfigured);
  const bytes = keyRing.encrypt(Buffer.from(JSON.stringify(value)), partsOf(of));
  const encrypted = Buffer.from(bytes).toString("base64");
  return { encrypted, version: of.version, keyId: keyRing.keyIdOf(bytes) ?? "" };
}

/** `undefined`: encrypted for another record, under a key that is not here, or changed since. */
export function decrypt<T>({ keyRing }: Keys, encrypted: string, of: EncryptedFor): T | undefined {
  const plain = keyRing?.decrypt(Buffer.from(encrypted, "base64"), partsOf(of));
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
