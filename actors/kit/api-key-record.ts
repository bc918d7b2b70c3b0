import { systemTenantId, toRfc3339 } from "#base";
import type { Address, Caller } from "#runtime";
import { method } from "./ask.ts";
import type { Message, Stored } from "./record.ts";

/** One API key as its entity keeps it. The secret is not in it: only `hash` is, of which it cannot be found. */
export interface ApiKeyRecord extends Stored {
  readonly tenant: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly environmentMode: Caller["environmentMode"];
  /** bcrypt of `keyDigest(secret)`. */
  readonly hash: string;
  readonly createdBy: string;
  /** Who answers for what the key does. */
  readonly owner: string;
  readonly lastUsedAt?: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** From the directory to the entity. */
export interface ApiKeyCreation {
  readonly type: "create";
  readonly key: ApiKeyRecord;
}

/** For who verifies a key. */
export const lookAtApiKey = method<object, ApiKeyRecord>("api_key", "Look");
export const useApiKey = method<object, object>("api_key", "Use");

/** A key is met before its tenant is known: the id alone leads to it. */
export function apiKeyAddress(id: string): Address {
  return { kind: "api_key", tenant: systemTenantId, key: id };
}

/** Told to every thread when a key is revoked, with its id. */
export const apiKeyRevokedTopic = "api_key.revoked";

/** As the contract's `ApiKey`, without the secret. */
export function apiKeyMessage(key: ApiKeyRecord): Message {
  return {
    id: key.id,
    name: key.name,
    tenant_id: key.tenant,
    roles: key.roles,
    scopes: key.scopes,
    environment_mode: key.environmentMode,
    prefix: apiKeyPrefix(key.id),
    created_at: toRfc3339(key.createdAt),
    created_by: key.createdBy,
    ...timeOf("last_used_at", key.lastUsedAt),
    ...timeOf("expires_at", key.expiresAt),
    ...timeOf("revoked_at", key.revokedAt),
  };
}

export function apiKeyPrefix(id: string): string {
  return `sy_${id}`;
}

function timeOf(name: string, ms: number | undefined): Record<string, string> {
  return ms === undefined ? {} : { [name]: toRfc3339(ms) };
}
